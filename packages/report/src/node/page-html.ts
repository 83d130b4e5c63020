import { script, scriptHash, style, styleHash } from "#page-assets";
import { tableOf } from "@phasekit/core/adapter";
import type { RunLine } from "../views/run-line.ts";
import type { RemovedTexts } from "./share-run.ts";

/** The data of the page; its script reads it. */
export interface PageIndex {
  readonly title: string;
  readonly live: boolean;
  readonly runs: readonly { readonly line: RunLine; readonly href?: string }[];
  readonly compare?: readonly [string, string];
  /** Texts that were removed to share the page. */
  readonly removed?: RemovedTexts;
}

/** Allows only the script and style of the page. A live page may connect to its own server. */
export function contentPolicy({ live }: { readonly live: boolean }): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    `style-src 'sha256-${styleHash}'`,
    `connect-src ${live ? "'self'" : "'none'"}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Renders the whole page. `parts` are blocks of data by id, in base64. */
export function pageHtml(index: PageIndex, parts: Iterable<readonly [id: string, data: string]> = []): string {
  const blocks = Array.from(parts, ([id, data]) => `<script type="application/gzip" id="${id}">${data}</script>`);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(index)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(index.title)}</title>`,
    `<link rel="icon" href="${ICON}">`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    '<div id="app"><noscript>This report needs JavaScript. The file contains it; nothing is loaded.</noscript></div>',
    `<script type="application/json" id="phasekit-index">${escapeJson(index)}</script>`,
    ...blocks,
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** The mark of the product. Without it, a browser asks the server for one. */
const ICON = [
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20' fill='%232f54c9'%3E",
  "%3Crect x='1' y='3' width='9' height='4' rx='1.5'/%3E%3Crect x='6' y='8' width='9' height='4' rx='1.5'/%3E",
  "%3Crect x='11' y='13' width='8' height='4' rx='1.5'/%3E%3C/svg%3E",
].join("");

const ENTITIES: Readonly<Record<string, string>> = tableOf({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

/** Escapes JSON so that it cannot close its script element. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", String.raw`\u003c`)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}
