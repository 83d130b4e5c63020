import type { Activity } from "@phasekit/core";

/** What a piece of code does that is run in a notebook or interpreter of the agent. */
export interface CodeReading {
  readonly activity: Activity;
  readonly targets: readonly string[];
  /** It makes a new file. */
  readonly creates?: boolean;
  /** The command line inside it, when it only starts a shell. */
  readonly shell?: string;
}

// The functions OpenHands gives its notebook; other code is a program.
const SKILLS: Readonly<Record<string, Activity>> = {
  open_file: "read", goto_line: "read", scroll_down: "read", scroll_up: "read", search_dir: "search", search_file: "search", find_file: "search",
  create_file: "edit", edit_file_by_replace: "edit", edit_file_by_line: "edit", insert_content_at_line: "edit", append_file: "edit", edit_file: "edit", file_editor: "edit",
  parse_pdf: "read", parse_docx: "read",
};

/** Reads code by its first statement: shell escapes are command lines, the agent's own functions say what they do. */
export function readCode(code: string): CodeReading {
  const text = code.slice(0, 4096).trim();
  if (text.startsWith("!")) return { activity: "run", targets: [], shell: text.slice(1) };
  if (/^%%(?:ba)?sh\b/.test(text)) return { activity: "run", targets: [], shell: text.slice(text.indexOf("\n") + 1) };
  const called = /^(?:print\()?(\w+)\(\s*(?:\w+\s*=\s*)?(?:r|f)?["']([^"'\n]{1,300})["']/m.exec(text);
  const activity = called === null ? undefined : Object.hasOwn(SKILLS, called[1] ?? "") ? SKILLS[called[1] ?? ""] : undefined;
  return activity === undefined ? { activity: "run", targets: [] } : { activity, targets: [called?.[2] ?? ""], creates: called?.[1] === "create_file" };
}
