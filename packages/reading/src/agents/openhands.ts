import type { Activity } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";

/** A function of the agent's own that a notebook cell calls. */
export interface SkillCall {
  readonly activity: Activity;
  readonly targets: readonly string[];
  /** True if it makes a new file. */
  readonly creates: boolean;
}

/** The functions OpenHands gives its notebook. */
const SKILLS: Readonly<Record<string, Activity>> = tableOf({
  open_file: "read",
  goto_line: "read",
  scroll_down: "read",
  scroll_up: "read",
  search_dir: "search",
  search_file: "search",
  find_file: "search",
  create_file: "edit",
  edit_file_by_replace: "edit",
  edit_file_by_line: "edit",
  insert_content_at_line: "edit",
  append_file: "edit",
  edit_file: "edit",
  file_editor: "edit",
  str_replace_editor: "edit",
  parse_pdf: "read",
  parse_docx: "read",
});

const TEXT = `["']([^"'\\n]{1,300})["']`;
const CALLED = new RegExp(
  `^(?:print\\()?(${Object.keys(SKILLS).join("|")})` +
    `\\(\\s*(?:\\w+\\s*=\\s*)?[rf]?${TEXT}(?:,\\s*(?:path\\s*=\\s*)?${TEXT})?`,
  "m",
);

/** The skill a notebook cell calls; `undefined` for other code. */
export function readSkill(code: string): SkillCall | undefined {
  const [, skill = "", first = "", second = ""] = CALLED.exec(code) ?? [];
  if (skill === "") return undefined;
  // `file_editor("view", "a.py")`: the verb comes before the file.
  if (/_editor$/.test(skill))
    return {
      activity: first === "view" ? "read" : "edit",
      targets: second === "" ? [] : [second],
      creates: first === "create",
    };
  return { activity: SKILLS[skill] ?? "run", targets: [first], creates: skill === "create_file" };
}
