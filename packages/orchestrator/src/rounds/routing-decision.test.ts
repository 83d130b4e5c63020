import { describe, expect, it } from "vitest";
import { isEnd, matchName, parseRoutingDecision } from "./routing-decision.ts";

const decision = { agents: ["executor"], phase: "execute", reason: "ready" };
const json = JSON.stringify(decision);

describe("parseRoutingDecision", () => {
  it.each([
    ["an object", decision],
    ["plain JSON", json],
    ["JSON with space around it", `\n  ${json}\n`],
    ["a fenced block", `text\n\`\`\`json\n${json}\n\`\`\``],
    ["a fenced block without a language", `\`\`\`\n${json}\n\`\`\` and so on`],
    ["a fenced block on one line", `\`\`\`json ${json}\`\`\``],
    ["JSON inside prose", `I think ${json} is best.`],
    ["JSON over several lines in prose", `Well:\n${JSON.stringify(decision, undefined, 2)}\nDone.`],
    ["the last of two decisions", `First {"agents":["planner"],"reason":"no"}, rather ${json}`],
    ["a decision after an object that is none", `{"thought": "hm {"} ${json}`],
    ["a decision inside another object", `{"answer": ${json}}`],
    ["braces inside strings", `{"agents":["executor"],"phase":"execute","reason":"ready"} // {"x": "}"`],
    ["names with space around them", { agents: [" executor "], phase: " execute ", reason: "ready" }],
    ["an agent named twice", { ...decision, agents: ["executor", "executor"] }],
  ])("parseRoutingDecision reads %s", (_what, given) => {
    expect(parseRoutingDecision(given)).toEqual({ decision });
  });

  it.each([[undefined], [null], [""], ["  "]])("parseRoutingDecision takes the phase %j as absent", (phase) => {
    expect(parseRoutingDecision({ agents: ["a"], phase, reason: "r" })).toEqual({
      decision: { agents: ["a"], reason: "r" },
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    ["nothing", "", ["it contains no JSON object"]],
    ["prose", "Let the executor do it.", ["it contains no JSON object"]],
    ["a list", [decision], ["it is not an object"]],
    ["null", null, ["it is not an object"]],
    ["no agents", { agents: [], reason: "r" }, ["`agents` must be an array with at least one name"]],
    ["agents as a text", { agents: "executor", reason: "r" }, ["`agents` must be an array with at least one name"]],
    ["an agent that is not a name", { agents: ["a", 7], reason: "r" }, ["`agents` must contain only names"]],
    [
      "a phase that is no name",
      { agents: ["a"], phase: { name: "x" }, reason: "r" },
      ["`phase` must be the name of a phase, not \"{'name':'x'}\""],
    ],
    ["no reason", { agents: ["a"] }, ["`reason` must be a non-empty string"]],
    [
      "several problems",
      { phase: 1 },
      [
        "`agents` must be an array with at least one name",
        '`phase` must be the name of a phase, not "1"',
        "`reason` must be a non-empty string",
      ],
    ],
    ["half a JSON", '{"agents":["a"],"reason":', ["it contains no JSON object"]],
  ])("parseRoutingDecision refuses %s", (_what, given, issues) => {
    expect(parseRoutingDecision(given)).toEqual({ issues });
  });
});

describe("isEnd", () => {
  it.each([
    [["END"], true],
    [["end"], true],
    [["executor", "END"], true],
    [["executor"], false],
    [["ENDER"], false],
  ])("%j: %s", (agents, end) => {
    expect(isEnd({ agents })).toBe(end);
  });
});

describe("matchName", () => {
  it.each([
    ["executor", "executor"],
    ["Executor", "executor"],
    [" EXECUTOR ", "executor"],
    ["executors", undefined],
    ["", undefined],
    ["twin", "twin"],
    ["TWIN", undefined],
  ])("matchName: %j means %j", (given, meant) => {
    expect(matchName(given, ["executor", "planner", "twin", "Twin"])).toBe(meant);
  });
});
