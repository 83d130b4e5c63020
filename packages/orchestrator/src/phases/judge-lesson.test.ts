import { describe, expect, it } from "vitest";
import { judgeLesson } from "./judge-lesson.ts";

const KNOWN = [{ text: "The billing service rejects dates without a time zone; send UTC." }];

describe("judgeLesson", () => {
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
  ])("judgeLesson finds %j %s", (text, why) => {
    const verdict = judgeLesson(text, KNOWN);
    expect(verdict.ok ? undefined : verdict.why).toBe(why);
  });

  it("judgeLesson says what is wrong", () => {
    expect(judgeLesson("ok", [])).toMatchInlineSnapshot(`
      {
        "ok": false,
        "text": "This is too general to help. Say what happened in this project, and what to do differently next time.",
        "why": "trivial",
      }
    `);
    expect(
      judgeLesson("Send UTC: the billing service rejects dates.", [
        { text: "The billing service rejects dates: send UTC." },
      ]),
    ).toMatchInlineSnapshot(`
      {
        "ok": false,
        "text": "This lesson is already known: "The billing service rejects dates: send UTC.". Add only what is new.",
        "why": "repeated",
      }
    `);
  });
});
