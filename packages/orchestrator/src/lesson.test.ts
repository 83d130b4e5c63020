import { describe, expect, it } from "vitest";
import { checkLesson } from "./lesson.ts";

const KNOWN = [{ text: "The billing service rejects dates without a time zone; send UTC." }];

describe("checkLesson", () => {
  it.each([
    ["Always test your code.", "trivial"],
    ["Communication is important for the team", "trivial"],
    ["It went well and we should do more of it next time", "trivial"],
    ["ok", "trivial"],
    ["", "trivial"],
    ["The billing service rejects dates without a time zone; send UTC.", "repeated"],
    ["the Billing service rejects dates without a time zone, so send UTC!", "repeated"],
    ["The billing service caches prices for an hour; restart it after a change.", undefined],
    ["Migrations in db/ must be numbered by hand, or the deploy skips them.", undefined],
  ])("%j is %s", (text, why) => {
    const verdict = checkLesson(text, KNOWN);
    expect(verdict.ok ? undefined : verdict.why).toBe(why);
  });

  it("says what is wrong", () => {
    expect(checkLesson("ok", [])).toMatchInlineSnapshot(`
      {
        "ok": false,
        "text": "This is too general to help. Say what happened in this project, and what to do differently next time.",
        "why": "trivial",
      }
    `);
    expect(checkLesson(KNOWN[0]?.text ?? "", KNOWN)).toMatchInlineSnapshot(`
      {
        "ok": false,
        "text": "This is known already: "The billing service rejects dates without a time zone; send UTC.". Add only what is new.",
        "why": "repeated",
      }
    `);
  });
});
