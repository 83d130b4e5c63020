import type { Activity } from "@phasekit/core";
import { readInlineCode } from "./inline-code.ts";

/** What a piece of code does that is run in a notebook or interpreter of the agent. */
export interface CodeReading {
  readonly activity: Activity;
  readonly targets: readonly string[];
  /** It makes a new file. */
  readonly creates?: boolean;
  /** The command line inside it, when it only starts a shell. */
  readonly shell?: string;
}

// The functions OpenHands gives its notebook; other code is read by what it does.
const SKILLS: Readonly<Record<string, Activity>> = {
  open_file: "read", goto_line: "read", scroll_down: "read", scroll_up: "read", search_dir: "search", search_file: "search", find_file: "search",
  create_file: "edit", edit_file_by_replace: "edit", edit_file_by_line: "edit", insert_content_at_line: "edit", append_file: "edit", edit_file: "edit", file_editor: "edit", str_replace_editor: "edit",
  parse_pdf: "read", parse_docx: "read",
};

const CALLED = new RegExp(`^(?:print\\()?(${Object.keys(SKILLS).join("|")})\\(\\s*(?:\\w+\\s*=\\s*)?[rf]?["']([^"'\\n]{1,300})["'](?:,\\s*(?:path\\s*=\\s*)?["']([^"'\\n]{1,300})["'])?`, "m");

/** Reads a cell: shell escapes are command lines, the agent's own functions say what they do, and so does other code. */
export function readCode(code: string): CodeReading {
  const text = code.slice(0, 4096).trim();
  if (text.startsWith("!")) return { activity: "run", targets: [], shell: text.slice(1) };
  if (/^%%(?:ba)?sh\b/.test(text)) return { activity: "run", targets: [], shell: text.slice(text.indexOf("\n") + 1) };
  const [, skill = "", first = "", second = ""] = CALLED.exec(text) ?? [];
  if (skill === "") return readInlineCode(code);
  // `file_editor("view", "a.py")`: what it does stands before the file.
  if (/_editor$/.test(skill)) return { activity: first === "view" ? "read" : "edit", targets: second === "" ? [] : [second], creates: first === "create" };
  return { activity: SKILLS[skill] ?? "run", targets: [first], creates: skill === "create_file" };
}
