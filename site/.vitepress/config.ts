import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderMermaidSVG } from "beautiful-mermaid";
import { defineConfig } from "vitepress";
import type { SidebarGroup } from "../navigation.ts";

const content = fileURLToPath(new URL("../.content", import.meta.url));
const sidebarFile = `${content}/sidebar.json`;
const fromHere = (name: string): string => fileURLToPath(import.meta.resolve(name));

export default defineConfig({
  srcDir: content,
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  title: "Phasekit",
  description: "Know which phase your agent is in, nudge it when it stalls, and learn why it stopped.",
  base: process.env["SITE_BASE"] ?? "/",
  cleanUrls: true,
  lastUpdated: false,
  head: [["meta", { name: "color-scheme", content: "light dark" }]],
  markdown: {
    // Prose like `phasekit why <id>` is text, not a tag.
    html: false,
    // Diagrams are drawn when the site is built, in the colors of the page: no script, no network.
    config: (md) => {
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = "", content: text = "" } = tokens[index] ?? {};
        if (info.trim() !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
        const svg = renderMermaidSVG(text, { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", transparent: true });
        // The drawing asks for a web font: the site asks nobody for anything.
        const drawing = JSON.stringify(svg.replaceAll(/@import url\([^)]*\);/g, ""));
        // As a text for Vue, which loses the last element of a drawing that is part of the page itself.
        return `<div class="diagram" v-html="${md.utils.escapeHtml(drawing)}"></div>`;
      };
    },
  },
  // The pages are outside this folder, so they would not find vue.
  vite: {
    resolve: {
      alias: [
        { find: /^vue\/server-renderer$/, replacement: fromHere("vue/server-renderer") },
        { find: /^vue$/, replacement: fromHere("vue") },
      ],
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start/coding-agents" },
      { text: "Concepts", link: "/concepts" },
      { text: "Examples", link: "/examples/" },
      { text: "Reference", link: "/reasons" },
    ],
    sidebar: existsSync(sidebarFile) ? (JSON.parse(readFileSync(sidebarFile, "utf8")) as SidebarGroup[]) : [],
    socialLinks: [{ icon: "github", link: "https://github.com/phasekit/phasekit" }],
    footer: { message: "MIT licensed." },
  },
});
