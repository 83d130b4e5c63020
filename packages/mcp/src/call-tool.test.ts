import type { PlainTool } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { type ServerScope, callTool } from "./call-tool.ts";

const echo: PlainTool = {
  name: "echo",
  description: "",
  inputSchema: {},
  execute: (input) => ({ ok: true, text: "made", data: { input: input as never } }),
};
const limits = (more: { readonly bound?: ServerScope; readonly onError?: (error: unknown) => void } = {}) => ({
  bound: {},
  maxInputLength: 20,
  onError: () => undefined,
  ...more,
});

describe("callTool", () => {
  it.each([
    { name: "an empty input", input: {}, made: true },
    { name: "an input at the limit", input: { a: "x".repeat(12) }, made: true },
    { name: "an input of one character more", input: { a: "x".repeat(13) }, made: false },
  ])("callTool calls the tool with $name: $made", async ({ input, made }) => {
    const { isError, structuredContent } = await callTool(echo, input, limits());
    expect([isError === undefined, structuredContent["ok"]]).toEqual([made, made]);
  });

  it.each([
    { bound: {}, input: { run: "b" }, made: true },
    { bound: { run: "a" }, input: {}, made: true },
    { bound: { run: "a" }, input: { run: "a" }, made: true },
    { bound: { run: "a" }, input: { run: "b" }, made: false },
    { bound: { run: "a" }, input: { run_id: "b" }, made: false },
    { bound: { run: "a" }, input: { run: "a", runId: "b" }, made: false },
    { bound: { run: "a" }, input: { run: ["a"] }, made: false },
    { bound: { run: "a" }, input: { item: "b" }, made: true },
    { bound: { item: "a" }, input: { item: "b" }, made: false },
    { bound: { item: "a" }, input: { itemId: null }, made: false },
  ])("callTool bound to $bound calls the tool with $input: $made", async ({ bound, input, made }) => {
    expect((await callTool(echo, input, limits({ bound }))).isError === undefined).toBe(made);
  });

  it("callTool puts ok and text over the tool's own data", async () => {
    const tool: PlainTool = {
      ...echo,
      execute: () => ({ ok: false, text: "Not yet.", data: { ok: true, text: "All well.", missing: ["risks"] } }),
    };
    expect(await callTool(tool, {}, limits())).toEqual({
      content: [{ type: "text", text: "Not yet." }],
      structuredContent: { ok: false, text: "Not yet.", missing: ["risks"] },
      isError: true,
    });
  });

  it.each([undefined, "made", 7, { ok: true }, { text: "made" }, { ok: "yes", text: "made" }])(
    "callTool reports a failure if the tool returns %j",
    async (answer) => {
      const heard: unknown[] = [];
      const tool: PlainTool = { ...echo, execute: () => answer as never };
      const { isError, content } = await callTool(tool, undefined, limits({ onError: (error) => heard.push(error) }));
      expect([isError, content[0]?.text]).toEqual([
        true,
        "echo failed. Your input is not the cause. Continue without it, or retry once later.",
      ]);
      expect(heard).toMatchObject([{ message: 'The tool "echo" must return { ok: boolean, text: string }.' }]);
    },
  );

  it("callTool normalizes data that JSON cannot hold", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const tool: PlainTool = {
      ...echo,
      execute: () => ({ ok: true, text: "made", data: { rows: 7n, circle } as never }),
    };
    const { structuredContent } = await callTool(tool, {}, limits());
    expect(JSON.parse(JSON.stringify(structuredContent))).toEqual({
      rows: "[bigint 7]",
      circle: { self: "[circular]" },
      ok: true,
      text: "made",
    });
  });

  it("callTool hides a thrown error from the agent and passes it to onError", async () => {
    const heard: unknown[] = [];
    const tool: PlainTool = { ...echo, execute: () => Promise.reject(new Error("password of /etc/db is wrong")) };
    const { content, isError } = await callTool(tool, {}, limits({ onError: (error) => heard.push(error) }));
    expect([isError, content[0]?.text]).toEqual([
      true,
      "echo failed. Your input is not the cause. Continue without it, or retry once later.",
    ]);
    expect(heard).toMatchObject([{ message: "password of /etc/db is wrong" }]);
  });
});
