export default (pi) =>
  pi.on("tool_result", ({ content }) => ({
    content: content.map((part) =>
      part.type === "text" ? { ...part, text: part.text.replace(/sk-\w+/g, "[secret]") } : part,
    ),
  }));
