import { describe, expect, it } from "vitest";
import { createRun } from "../run/run.ts";
import { assertRunFirst, runFrom, type RunSource } from "./run-source.ts";

describe("runFrom", () => {
  it("runFrom returns the run, or the result of a function of the context", () => {
    const run = createRun({ id: "one" });
    expect(runFrom(run, {})).toBe(run);
    expect(runFrom((id: string) => createRun({ id }), "two").id).toBe("two");
  });

  it.each([
    ["nothing", undefined, "it must be a run, or a function that gives one"],
    ["something else", { model: "m" }, "it must be a run, or a function that gives one"],
    ["a function that gives nothing", () => undefined, "it must be a run, or a function that gives one"],
    [
      "a function that gives it later",
      () => Promise.resolve(createRun()),
      "the function for it is asynchronous; create the run before, or synchronously",
    ],
  ])("runFrom explains what is wrong with %s", (_what, source, problem) => {
    expect(() => runFrom(source as unknown as RunSource, {})).toThrow(problem);
  });

  it("runFrom refuses a run that has ended", () => {
    const run = createRun();
    run.end();
    expect(() => runFrom(run, {})).toThrow(expect.objectContaining({ code: "RUN_ENDED" }));
  });
});

describe("assertRunFirst", () => {
  it.each([
    { what: "a run and options", given: [createRun(), {}] },
    { what: "a function and an agent", given: [() => createRun(), { generate: () => undefined }] },
    { what: "options and a run", given: [{ model: "m" }, createRun()], problem: "it comes first" },
    { what: "a node and a run", given: [() => ({}), createRun()], problem: "it comes first" },
    { what: "nothing and an agent", given: [undefined, {}], problem: "it must be a run" },
    { what: "options of a run and an agent", given: [{ mode: "gate" }, {}], problem: "it must be a run" },
  ])("assertRunFirst is given $what", ({ given: [source, wrapped], problem }) => {
    if (problem === undefined) expect(() => assertRunFirst(source, wrapped)).not.toThrow();
    else expect(() => assertRunFirst(source, wrapped)).toThrow(problem);
  });
});
