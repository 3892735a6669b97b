const number = new Intl.NumberFormat("en");
const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Formats a count with separated thousands, and with its noun if there is one. */
export function counted(count: number, one?: string, many = `${one}s`): string {
  return one === undefined ? number.format(count) : `${number.format(count)} ${count === 1 ? one : many}`;
}

/** Formats a time of day to the second, such as `14:03:59`. */
export function timeOf(t: number): string {
  return clockTime.format(t);
}

/** Formats a time of day to the millisecond, such as `14:03:59.345`. */
export function clock(t: number): string {
  return `${timeOf(t)}${thousandths(t)}`;
}

/** The milliseconds of a time as a fraction: `.345`. */
export function thousandths(t: number): string {
  return `.${String(Math.floor(t) % 1000).padStart(3, "0")}`;
}

/** Formats a date and time, to the minute. */
export function day(t: number): string {
  return dayTime.format(t);
}

/** Formats a duration, such as `1.5 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(2))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(2))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1000) % 60} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor(ms / 60_000) % 60} min`;
}

/** Formats a size in bytes. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Number((bytes / 1000).toFixed(1))} kB`;
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}

/** Formats a share from 0 to 1 as a percentage. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(share < 0.1 ? 2 : 1))} %`;
}
