import type { PlainTool } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { type Binding, callTool } from "./call-tool.ts";

const echo: PlainTool = { name: "echo", description: "", inputSchema: {}, execute: (input) => ({ ok: true, text: "made", data: { input: input as never } }) };
const limits = (more: { readonly bound?: Binding; readonly onError?: (error: unknown) => void } = {}) => ({ bound: {}, maxInputLength: 20, onError: () => undefined, ...more });

describe("callTool", () => {
  it.each([
    { name: "an empty input", input: {}, made: true },
    { name: "as long as may be", input: { a: "x".repeat(12) }, made: true },
    { name: "one character more", input: { a: "x".repeat(13) }, made: false },
  ])("takes $name: $made", async ({ input, made }) => {
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
  ])("bound to $bound, $input is made: $made", async ({ bound, input, made }) => {
    expect((await callTool(echo, input, limits({ bound }))).isError === undefined).toBe(made);
  });

  it("gives text and data alike, and cannot be contradicted by a tool's own data", async () => {
    const tool: PlainTool = { ...echo, execute: () => ({ ok: false, text: "Not yet.", data: { ok: true, text: "All well.", missing: ["risks"] } }) };
    expect(await callTool(tool, {}, limits())).toEqual({ content: [{ type: "text", text: "Not yet." }], structuredContent: { ok: false, text: "Not yet.", missing: ["risks"] }, isError: true });
  });

  it.each([undefined, "made", 7, { ok: true }, { text: "made" }, { ok: "yes", text: "made" }])("says that a tool failed which answers %j", async (answer) => {
    const heard: unknown[] = [];
    const tool: PlainTool = { ...echo, execute: () => answer as never };
    const { isError, content } = await callTool(tool, undefined, limits({ onError: (error) => heard.push(error) }));
    expect([isError, content[0]?.text]).toEqual([true, "echo failed. It is not your input; go on without it, or try once more later."]);
    expect(heard).toMatchObject([{ message: 'The tool "echo" has to answer with { ok, text }.' }]);
  });

  it("sends data that has no JSON as far as it has one", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const tool: PlainTool = { ...echo, execute: () => ({ ok: true, text: "made", data: { rows: 7n, circle } as never }) };
    const { structuredContent } = await callTool(tool, {}, limits());
    expect(JSON.parse(JSON.stringify(structuredContent))).toEqual({ rows: "[bigint 7]", circle: { self: "[circular]" }, ok: true, text: "made" });
  });

  it("keeps what a tool throws from the agent, and tells the host", async () => {
    const heard: unknown[] = [];
    const tool: PlainTool = { ...echo, execute: () => Promise.reject(new Error("password of /etc/db is wrong")) };
    const { content, isError } = await callTool(tool, {}, limits({ onError: (error) => heard.push(error) }));
    expect([isError, content[0]?.text]).toEqual([true, "echo failed. It is not your input; go on without it, or try once more later."]);
    expect(heard).toMatchObject([{ message: "password of /etc/db is wrong" }]);
  });
});
