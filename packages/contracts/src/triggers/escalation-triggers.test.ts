import { describe, expect, it } from "vitest";
import { artifactOf, claimOf } from "../__fixtures__/pipeline.ts";
import { builtInTriggers } from "../contract-schema.ts";
import { findEscalations } from "./escalation-triggers.ts";
import { parseDiff } from "./parse-diff.ts";

const fired = (text: string, diff?: string): string => findEscalations(builtInTriggers, { claim: claimOf(), artifact: artifactOf(text), diff }).map(({ trigger }) => trigger).join(" ");
const file = (path: string, ...lines: readonly string[]): string => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${lines.join("\n")}\n`;

describe("escalation by words", () => {
  it.each([
    ["We store password hashes and rotate auth tokens.", "security_sensitive"],
    ["Users get a new PERMISSION.", "security_sensitive"],
    ["## Authentication\n\nAs before.", "security_sensitive"],
    ["- a list item about `credentials`", "security_sensitive"],
    ["This adds an endpoint for exports.", "api_boundary_changed"],
    ["The response schema gets a field.", "api_boundary_changed"],
    ["It is a breaking-change.", "api_boundary_changed"],
    ["Needs a migration with a backfill.", "db_schema_changed"],
    ["We add a foreign key.", "db_schema_changed"],
    ["Not only authentication is affected.", "security_sensitive"],
    ["Do not forget the migration.", "db_schema_changed"],
    ["No tests cover the auth path.", "security_sensitive"],
    ["The endpoint works without authentication.", "api_boundary_changed security_sensitive"],
    ["There is no schema change, but a new endpoint.", "api_boundary_changed"],
    // Whole words only.
    ["The author wrote an authoritative tokenizer.", ""],
    ["We reroute the rerouted routers.", ""],
    // Denied.
    ["No changes to authentication or passwords.", ""],
    ["This does not touch authentication.", ""],
    ["It doesn't change the database schema.", ""],
    ["Authentication is unchanged.", ""],
    ["The session handling remains untouched.", ""],
    ["No migration is needed.", ""],
    ["Without changing the public API.", ""],
    // Code and comments are not what the artifact says.
    ["```\npassword = 1\n```\n", ""],
    ["<!-- password -->\n\nFine.", ""],
    ["---\ntitle: password\n---\n\nFine.", ""],
    ["", ""],
  ])("%j: %j", (text, expected) => expect(fired(text)).toBe(expected));

  it("stays quick on hostile text", () => {
    // A pattern that goes back and forth would run into the test's own time limit.
    expect(fired(`${"no the ".repeat(5000)}auth`)).toBe("");
    expect(fired("auth the ".repeat(5000))).toBe("security_sensitive");
    expect(fired("no password, ".repeat(2000))).toBe("");
  });
});

describe("escalation by paths and changed lines", () => {
  it.each([
    [file("src/auth/login.ts", "-a", "+b"), "security_sensitive"],
    [file("src/password-reset.ts", "+b"), "security_sensitive"],
    [file("db/migrations/001.ts", "+b"), "db_schema_changed"],
    [file("schema.prisma", "+b"), "db_schema_changed"],
    [file("openapi.yaml", "+b"), "api_boundary_changed"],
    [file("proto/a.proto", "+b"), "api_boundary_changed"],
    [file("src/x.ts", "+db.run('ALTER TABLE a ADD COLUMN b')"), "db_schema_changed"],
    [file("src/x.ts", "+router.post('/x', handler)"), "api_boundary_changed"],
    [file("src/x.ts", "+const apiKey = read()"), "security_sensitive"],
    [file("src/x.ts", "-const password = read()"), "security_sensitive"],
    [file("src/x.ts", " const password = read()", "+fine"), ""],
    [file("src/author.ts", "+b"), ""],
    [file("docs/indexes.md", "+b"), ""],
    ["not a diff: password", ""],
  ])("%j: %j", (diff, expected) => expect(fired("Fine.", diff)).toBe(expected));

  it("names the path before the words", () => {
    expect(findEscalations(["security_sensitive"], { claim: claimOf(), artifact: artifactOf("A password."), diff: file("src/auth/a.ts", "+b") })).toEqual([{ trigger: "security_sensitive", evidence: 'The diff touches "src/auth/a.ts".' }]);
    expect(findEscalations(["security_sensitive"], { claim: claimOf(), artifact: artifactOf("A password.") })).toEqual([{ trigger: "security_sensitive", evidence: 'The artifact says "A password.".' }]);
  });

  it("reads deleted, new and quoted files", () => {
    const diff = "--- a/old.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n--- x\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+x";
    expect(parseDiff("--- a/old.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n-x").map(({ path, changed }) => [path, changed])).toEqual([["old.sql", ["x"]]]);
    expect(parseDiff(diff)[0]!.path).toBe("old.sql");
    expect(parseDiff('--- "a/p q.ts"\n+++ "b/p q.ts"\n@@ @@\n+x').map(({ path }) => path)).toEqual(["p q.ts"]);
  });
});

describe("open questions", () => {
  it.each([
    { name: "in the claim", claim: { open_questions: ["Why?"] }, text: "x", fires: true },
    { name: "in the artifact", claim: {}, text: "## Open Questions\n\n- Which index?\n", fires: true },
    { name: "an empty list", claim: {}, text: "## Open Questions\n\nNone.\n", fires: false },
    { name: "a question elsewhere", claim: {}, text: "## Risks\n\nWhy?\n", fires: false },
  ])("$name: $fires", ({ claim, text, fires }) => {
    expect(findEscalations(["open_questions_present"], { claim: claimOf(claim), artifact: artifactOf(text) }).length > 0).toBe(fires);
  });

  it("a trigger nobody provides asks for a judge", () => {
    expect(findEscalations(["toString"], { claim: claimOf(), artifact: artifactOf() })).toHaveLength(1);
  });
});
