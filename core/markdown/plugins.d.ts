declare module "markdown-it-footnote" {
  import type { PluginSimple } from "markdown-it";

  const footnotes: PluginSimple;
  export default footnotes;
}

declare module "markdown-it-emoji" {
  import type { PluginWithOptions } from "markdown-it";
  export const full: PluginWithOptions<{ shortcuts: Readonly<Record<string, never>> }>;
}
