import { describe, expect, it } from "vitest";
import { artifactOf, claimOf } from "../__fixtures__/pipeline.ts";
import { builtInTriggers } from "../contract/contract-schema.ts";
import { findEscalations } from "./escalation-triggers.ts";
import { parseDiff } from "./parse-diff.ts";

const fired = (text: string, diff?: string): string =>
  findEscalations(builtInTriggers, { claim: claimOf(), artifact: artifactOf(text), diff })
    .map(({ trigger }) => trigger)
    .join(" ");
const file = (path: string, ...lines: readonly string[]): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${lines.join("\n")}\n`;

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
    ["There is no schema change, but a new endpoint.", "api_boundary_changed db_schema_changed"],
    // Whole words only.
    ["The author wrote an authoritative tokenizer.", ""],
    ["We reroute the rerouted routers.", ""],
    // A denial mentions what it denies; only a judge can tell whether it is one.
    ["No changes to passwords, apart from a rewrite.", "security_sensitive"],
    ["No changes to authentication or passwords.", "security_sensitive"],
    ["This does not touch authentication.", "security_sensitive"],
    ["It doesn't change the database schema.", "db_schema_changed"],
    ["Authentication is unchanged.", "security_sensitive"],
    ["The session handling remains untouched.", "security_sensitive"],
    ["No migration is needed.", "db_schema_changed"],
    ["Without changing the public API.", "api_boundary_changed"],
    ["No security impact.", "security_sensitive"],
    // Looked at as it is written, too.
    ["```\npassword = 1\n```\n", "security_sensitive"],
    ["<!-- password -->\n\nFine.", "security_sensitive"],
    ["---\ntitle: password\n---\n\nFine.", "security_sensitive"],
    ["<div>\nWe rotate the password.\n</div>", "security_sensitive"],
    ["<p hidden>A new migration</p>\n\nFine.", "db_schema_changed"],
    ["<script>\n// new endpoint\n</script>", "api_boundary_changed"],
    ["[a]: /password-reset\n\nFine.", "security_sensitive"],
    ["![password](a.png)", "security_sensitive"],
    ["[here](/oauth/start)", "security_sensitive"],
    // Drawn with other characters.
    ["We store the pass**word**.", "security_sensitive"],
    ["We store the pass&shy;word.", "security_sensitive"],
    ["We store the p\u200bassword.", "security_sensitive"],
    ["We store the p&#97;ssword.", "security_sensitive"],
    ["We store the p\u0430ssw\u043erd.", "security_sensitive"],
    ["We store the \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44.", "security_sensitive"],
    ["It reads user_password.", "security_sensitive"],
    [`${"Much text without an end ".repeat(500)}password`, "security_sensitive"],
    ["", ""],
  ])("%j: %j", (text, expected) => expect(fired(text)).toBe(expected));

  it("escalation by words stays quick on hostile text", () => {
    // A pattern that goes back and forth would run into the test's own time limit.
    expect(fired(`${"no the ".repeat(5000)}auth`)).toBe("security_sensitive");
    expect(fired("auth the ".repeat(5000))).toBe("security_sensitive");
    expect(fired("no password, ".repeat(2000))).toBe("security_sensitive");
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

  it("escalation by paths and changed lines names the path before the words", () => {
    expect(
      findEscalations(["security_sensitive"], {
        claim: claimOf(),
        artifact: artifactOf("A password."),
        diff: file("src/auth/a.ts", "+b"),
      }),
    ).toEqual([{ trigger: "security_sensitive", evidence: 'The diff touches "src/auth/a.ts".' }]);
    expect(findEscalations(["security_sensitive"], { claim: claimOf(), artifact: artifactOf("A password.") })).toEqual([
      { trigger: "security_sensitive", evidence: 'The artifact says "A password.".' },
    ]);
    expect(
      findEscalations(["security_sensitive"], {
        claim: claimOf(),
        artifact: artifactOf("Fine.\n\n<!-- A password. -->"),
      }),
    ).toEqual([
      {
        trigger: "security_sensitive",
        evidence: 'The artifact has, where a reader may not see it, "‹!-- A password. -->".',
      },
    ]);
  });

  it("escalation by paths and changed lines reads deleted, new and quoted files", () => {
    const diff = "--- a/old.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n--- x\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+x";
    expect(
      parseDiff("--- a/old.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n-x").map(({ path, changed }) => [path, changed]),
    ).toEqual([["old.sql", ["x"]]]);
    expect(parseDiff(diff)[0]!.path).toBe("old.sql");
    expect(parseDiff('--- "a/p q.ts"\n+++ "b/p q.ts"\n@@ @@\n+x').map(({ path }) => path)).toEqual(["p q.ts"]);
  });
});

describe("open questions", () => {
  it.each([
    { name: "in the claim", claim: { open_questions: ["Why?"] }, text: "x", fires: true },
    { name: "in the artifact", claim: {}, text: "## Open Questions\n\n- Which index?\n", fires: true },
    {
      name: "in the second of two sections",
      claim: {},
      text: "# Open Questions\n\nNone.\n\n# Open Questions\n\nWhy?\n",
      fires: true,
    },
    { name: "in another script", claim: {}, text: "## Open Questions\n\n\u306a\u305c\uff1f\n", fires: true },
    { name: "an empty list", claim: {}, text: "## Open Questions\n\nNone.\n", fires: false },
    { name: "a question elsewhere", claim: {}, text: "## Risks\n\nWhy?\n", fires: false },
  ])("$name: $fires", ({ claim, text, fires }) => {
    expect(
      findEscalations(["open_questions_present"], { claim: claimOf(claim), artifact: artifactOf(text) }).length > 0,
    ).toBe(fires);
  });

  it("a trigger nobody provides asks for a judge", () => {
    expect(findEscalations(["toString"], { claim: claimOf(), artifact: artifactOf() })).toHaveLength(1);
  });
});
