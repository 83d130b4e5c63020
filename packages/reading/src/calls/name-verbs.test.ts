import { describe, expect, it } from "vitest";
import { interpret } from "../__fixtures__/interpret.ts";
import { activityOfName } from "./name-verbs.ts";

describe("activityOfName", () => {
  it.each([
    ["read_range", "read"],
    ["extract_method_code", "read"],
    ["extract_test_code", "read"],
    ["get_classes_and_methods", "read"],
    ["analyze_failing_test_cases", "read"],
    ["getUserDetails", "read"],
    ["check_order_status", "read"],
    ["go_back_to_collect_more_info", "read"],
    ["mcp__files__view_range", "read"],
    ["search_code_base", "search"],
    ["search_method_in_class", "search"],
    ["listProducts", "search"],
    ["gmail_search_messages", "search"],
    ["knowledge_base_search", "search"],
    ["code_search", "search"],
    ["run_tests", "test"],
    ["execute_test_suite", "test"],
    ["validate_fix_by_running_tests", "test"],
    ["run_fault_localization", "run"],
    ["write_fix", "edit"],
    ["write_patch", "edit"],
    ["apply_code_change", "edit"],
    ["delete_lines", "edit"],
    ["update_todos", "plan"],
    ["build_project", "build"],
    ["wait_for_deploy", "wait"],
    ["ask_expert", "ask"],
  ])("reads %s as %s", (tool, activity) => {
    expect(activityOfName(tool)).toBe(activity);
  });

  it.each([
    "getaway",
    "book_flight",
    "update_order",
    "create_ticket",
    "send_mail",
    "write_review",
    "mark_as_read",
    "set_list_order",
    "express_hypothesis",
    "apply",
    "update",
    "",
    "___",
    "x".repeat(5000),
  ])("says nothing about %s", (tool) => {
    expect(activityOfName(tool)).toBeUndefined();
  });
});

describe("an unknown tool", () => {
  it.each([
    ["read_range", { filepath: "a.java", startline: 1 }, { activity: "read", targets: ["a.java"], mutates: false }],
    ["search_code_base", { query: "createFile" }, { activity: "search", targets: ["createFile"], mutates: false }],
    ["write_fix", { file_path: "a.java" }, { activity: "edit", targets: ["a.java"], mutates: true }],
    ["update_order", { id: 1 }, { activity: "other" }],
  ])("%s has the targets of its arguments", (tool, input, meaning) => {
    expect(interpret({ tool, input })).toMatchObject(meaning);
  });

  it.each([
    ["Command write_fix returned: Your fix did not target all the buggy lines. Here is the list: [1, 2].", false],
    ["The fix you passed is empty. Please provide a non empty implementation.", false],
    ["Command write_fix returned: Error: 'NoneType' object is not iterable", false],
    ["Your edit was applied. The tests are not run automatically.", true],
    ["Lines written successfully.", true],
  ])("that edits says whether the edit landed: %s", (output, mutates) => {
    expect(interpret({ tool: "write_fix", input: { file: "a" } }, { outcome: "ok", output })).toMatchObject({
      mutates,
    });
  });

  it.each([
    ["There are 1 failing test cases, here is the full log of failing cases:", "fail"],
    ["BUILD FAILED\n/app/build.xml:12: Compile failed", "fail"],
  ])("that edits and tests has a verdict: %s", (log, verdict) => {
    const output = `Lines written successfully, the result of running test cases on the modified code is:\n${log}`;
    const meaning = interpret({ tool: "write_fix", input: { file: "a" } }, { outcome: "ok", output });
    expect(meaning).toMatchObject({ activity: "edit", mutates: true, tests: { verdict } });
  });
});
