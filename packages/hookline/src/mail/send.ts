import { messageOf } from "@hookline/ground";
import type { Emit } from "../hook/emit.ts";
import { type Letter, newLetter } from "./letter.ts";

/** The sender's context, its hooks and the function that stores a letter in an inbox. */
export interface Post {
  /** The context that sends, unless the letter names another sender. */
  readonly from: string;
  /** Puts a letter into an inbox. The model sees the message of an error. */
  deliver(letter: Letter): Promise<void>;
  readonly emit: Emit;
}

/** The result of sending a letter. `text` is for the model and for hooks, in chibi's wording. */
export interface Sent {
  readonly text: string;
  readonly delivered: boolean;
}

/**
 * Sends a letter to the inbox of the context `to`, unless a hook delivers it. Returns the same texts as chibi. Source:
 * seed 004, spec/chibi.md 3.
 */
export async function send(
  post: Post,
  about: { readonly to: string; readonly content: string; readonly from?: string | undefined },
): Promise<Sent> {
  const { to, content, from = post.from } = about;
  if (to === "") return { text: "Error: 'to' field is required", delivered: false };
  if (content === "") return { text: "Error: 'content' field is required", delivered: false };
  const claim = (await post.emit("mail.before", { from, to, content })).answer;
  const sent =
    claim.delivered === true
      ? { text: `Message delivered to '${to}' via ${claim.via ?? "a hook"}`, delivered: true }
      : await deliver(post, newLetter({ from, to, content }));
  await post.emit("mail.after", { from, to, content, result: sent.text });
  return sent;
}

async function deliver(post: Post, letter: Letter): Promise<Sent> {
  try {
    await post.deliver(letter);
    return { text: `Message delivered to '${letter.to}' via local inbox`, delivered: true };
  } catch (thrown) {
    return { text: `Error delivering message: ${messageOf(thrown)}`, delivered: false };
  }
}
