import type { Page } from "./content.ts";
import { shortName } from "./content.ts";
import { publishedPackages } from "@phasekit/tooling/workspace";

/** A group of the sidebar: its pages, or a pattern of paths for all that no other group has. */
interface Group {
  readonly text: string;
  readonly pages: readonly string[];
  readonly collapsed?: boolean;
}

/** A group as VitePress takes it. */
export interface SidebarGroup {
  text: string;
  collapsed?: boolean;
  items: { text: string; link: string }[];
}

const names = publishedPackages().map(({ folder }) => shortName(folder));

const GROUPS: readonly Group[] = [
  {
    text: "Start",
    pages: ["start/coding-agents", "start/ai-sdk", "start/langchain", "start/own-loop", "start/team"],
  },
  {
    text: "Concepts",
    pages: ["concepts", "graphs", "outcomes", "evidence", "glossary", "questions", "compare", "proof", "performance"],
  },
  { text: "Live and command line", pages: ["live", "cli", "report", "transcripts"] },
  { text: "Build", pages: ["adapters", "recipes", "custom-policy", "tracker", "watchdog", "budgets", "mcp"] },
  { text: "Several agents, and work in phases", pages: ["orchestrator", "contracts"] },
  { text: "Keep runs", pages: ["ledger", "resume", "postgres", "scale", "engines", "otel"] },
  { text: "Examples", pages: ["examples/index", "examples/*"], collapsed: true },
  { text: "Packages", pages: names.map((name) => `packages/${name}`), collapsed: true },
  { text: "Reference", pages: ["commands", "reasons", "errors", "sources", "supply-chain", "security"] },
  { text: "API", pages: names.map((name) => `api/${name}`), collapsed: true },
  { text: "Contributing", pages: ["contributing/index", "contributing/*"], collapsed: true },
  { text: "Decisions", pages: ["decisions/*"], collapsed: true },
];

/** The sidebar. Throws for a page that no group has: nobody would find it. */
export function sidebar(pages: readonly Page[]): SidebarGroup[] {
  const byName = new Map(pages.map((page) => [page.path.replace(/\.md$/, ""), page]));
  byName.delete("index");
  const groups = GROUPS.map(({ text, pages: wanted, collapsed }) => ({
    text,
    ...(collapsed === true && { collapsed }),
    items: wanted.flatMap((name) =>
      (name.endsWith("*") ? [...byName.keys()].filter((known) => known.startsWith(name.slice(0, -1))) : [name]).flatMap(
        (each) => {
          const page = byName.get(each);
          byName.delete(each);
          return page === undefined ? [] : [{ text: titleOf(page), link: linkTo(each) }];
        },
      ),
    ),
  }));
  if (byName.size > 0)
    throw new Error(`No group of site/navigation.ts has these pages: ${[...byName.keys()].join(", ")}.`);
  return groups;
}

function titleOf({ path, text }: Page): string {
  const title = (/^# (.+)$/m.exec(text)?.[1] ?? path).replaceAll("`", "").replaceAll(/^Public API of /g, "");
  return path.startsWith("examples/") && path !== "examples/index.md" ? path.slice("examples/".length, -3) : title;
}

function linkTo(name: string): string {
  return `/${name.replace(/(^|\/)(?:index)$/, "$1")}`;
}
