import type { MarkdownIt } from "markdown-it";

const box = /^\[([ xX])\](?=\s)/;

/** Makes `- [x]` an item with a checkbox, which nobody can tick. */
export function markTasks(reader: MarkdownIt): void {
  reader.core.ruler.after("inline", "mark_tasks", (state) => {
    for (const [at, token] of state.tokens.entries()) {
      if (token.type !== "inline" || state.tokens[at - 2]?.type !== "list_item_open") continue;
      const [first] = token.children ?? [];
      const mark = first?.type === "text" ? box.exec(first.content)?.[1] : undefined;
      if (first === undefined || mark === undefined) continue;
      first.content = first.content.slice("[x]".length);
      const checkbox = new state.Token("html_inline", "", 0);
      checkbox.content = `<input type="checkbox" disabled${mark === " " ? "" : " checked"}>`;
      token.children?.unshift(checkbox);
      state.tokens[at - 2]?.attrSet("class", "task-list-item");
    }
  });
}
