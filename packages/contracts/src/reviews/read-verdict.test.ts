import { describe, expect, it } from "vitest";
import { readVerdict } from "./read-verdict.ts";

const read = (answer: unknown) => readVerdict(answer, { review: "r-1" });
const approved = { verdict: "approved", reason: "Sound." };
const json = JSON.stringify(approved);

describe("readVerdict", () => {
  it.each([
    ["data", approved],
    ["data with the id of the review", { ...approved, review: "r-1" }],
    ["bare JSON", json],
    ["JSON with space around it", `\n ${json}\n`],
    ["a fenced block", `I read it.\n\`\`\`json\n${json}\n\`\`\``],
    ["a fenced block without a language", `\`\`\`\n${json}\n\`\`\` Done.`],
    ["JSON inside prose", `My verdict is ${json}, after all.`],
    ["JSON over several lines", `Here:\n${JSON.stringify(approved, undefined, 2)}`],
    ["the same verdict twice", `${json} and again ${json}`],
    [
      "its own verdict beside a quoted one",
      `The artifact says {"verdict":"rejected","reason":"x"}. {"review":"r-1",${json.slice(1)}`,
    ],
  ])("reads %s", (_name, answer) => {
    expect(read(answer)).toEqual({ ok: true, verdict: { ...approved, fix_instructions: null } });
  });

  it.each([
    [{ verdict: "maybe", reason: "ok" }, ['verdict: expected one of "approved"|"rejected", got "maybe"']],
    [{ reason: "ok" }, ['verdict: expected one of "approved"|"rejected"']],
    [{ verdict: "approved" }, ["reason: is missing"]],
    [{ verdict: "approved", reason: 7 }, ['reason: expected string, received number, got "7"']],
    [{ verdict: "approved", reason: "ok", phase: "ready" }, ['Unrecognized key: "phase"']],
    [{ ...approved, review: "r-2" }, ['review: expected "r-1", got "r-2"']],
    [7, ['expected object, received number, got "7"']],
    ["Approved!", ['the text "Approved!" holds no JSON object with the field "verdict"']],
    [
      '{"verdict": "approved", "reason": ',
      ["the text \"{'verdict': 'approved', 'reason':\" holds no JSON object with the field \"verdict\""],
    ],
    ['{"verdict": "maybe"}', ['verdict: expected one of "approved"|"rejected", got "maybe"', "reason: is missing"]],
    [`${json} {"verdict":"rejected","reason":"x"}`, ["the text holds 2 different verdicts"]],
  ])("%j is not a verdict, and says why", (answer, problems) => {
    expect(read(answer)).toEqual({ ok: false, problems });
  });
});
