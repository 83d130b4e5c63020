import { ownValue, quote } from "@phasekit/core/adapter";
import type { Artifact } from "../contract/artifact.ts";
import type { Claim } from "../claims/claim-schema.ts";
import { readSections } from "../contract/sections.ts";
import { findMention, sentencesOf, sourceOf } from "./find-mention.ts";
import { type DiffFile, parseDiff } from "./parse-diff.ts";

/** Input of an escalation trigger. */
export interface TriggerInput {
  readonly claim: Pick<Claim, "open_questions" | "summary" | "completed_phase">;
  readonly artifact: Artifact;
  /** Visible sentences of the artifact, including code, and those of the claim's summary. */
  readonly sentences: readonly string[];
  /** Source paragraphs of the artifact, including comments, hidden HTML, addresses and front matter. */
  readonly source: readonly string[];
  /** Files of the diff, if there is one. */
  readonly diff: readonly DiffFile[];
}

/** Returns the evidence for asking a judge; undefined if there is none. Pure. */
export type EscalationTrigger = (input: TriggerInput) => string | undefined;

/** Triggers by the names contracts use. */
export type EscalationTriggers = Readonly<Record<string, EscalationTrigger>>;

/** A trigger that fired, with its evidence. */
export interface Escalation {
  readonly trigger: string;
  readonly evidence: string;
}

/** Signs of a sensitive area: paths, changed lines and words. */
interface Area {
  readonly paths: RegExp;
  readonly lines: RegExp;
  readonly words: readonly string[];
}

/** Matches any of the patterns, ignoring case. */
const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "i");

const interfaces: Area = {
  paths: anyOf(
    String.raw`(?:^|\/)(?:api|routes?|controllers?|endpoints?|webhooks?)\/`,
    String.raw`(?:^|\/)(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$`,
    String.raw`\.(?:proto|graphql|gql|avsc|wsdl)$`,
  ),
  // Method names and annotations are case-sensitive.
  lines: new RegExp(
    [
      String.raw`\b(?:app|router|server)\.(?:get|post|put|patch|delete)\s*\(`,
      String.raw`@(?:Get|Post|Put|Patch|Delete|Request)Mapping\b`,
      String.raw`\boperationId:`,
    ].join("|"),
  ),
  words: [
    "endpoint",
    "route",
    "public api",
    "api contract",
    "api boundary",
    "breaking change",
    "request schema",
    "response schema",
    "version bump",
    "webhook",
    "graphql",
    "openapi",
    "public interface",
  ],
};

const database: Area = {
  paths: /(?:^|\/)(?:migrations?|migrate)\/|\.sql$|(?:^|\/)schema\.(?:prisma|rb)$/i,
  lines: anyOf(
    String.raw`\b(?:create|alter|drop|truncate)\s+(?:table|index|type|schema|view)\b`,
    String.raw`\b(?:add|drop|rename)\s+column\b`,
    String.raw`\bforeign\s+key\b`,
  ),
  words: [
    "migration",
    "schema change",
    "database schema",
    "db schema",
    "alter table",
    "drop table",
    "create table",
    "drop column",
    "add column",
    "new column",
    "new table",
    "foreign key",
    "database index",
    "add index",
    "add an index",
    "new index",
    "unique index",
    "backfill",
  ],
};

const security: Area = {
  paths: new RegExp(
    [
      "(?:^|[/._-])(?:auth|authn|authz|oauth|login|password|secrets?|credentials?|crypto",
      "permissions?|acl|rbac|sessions?|tokens?)(?:[/._-]|$)",
    ].join("|"),
    "i",
  ),
  lines: /\b(?:password|passwd|secret|api[_-]?key|private[_-]?key|credential|encrypt|decrypt|csrf|authoriz|authentic)/i,
  words: [
    "security",
    "auth",
    "authentication",
    "authorization",
    "authorisation",
    "password",
    "secret",
    "api key",
    "token",
    "credential",
    "encrypt",
    "encryption",
    "decrypt",
    "permission",
    "session",
    "oauth",
    "csrf",
    "xss",
    "sql injection",
    "injection",
    "pii",
    "personal data",
    "privilege",
    "vulnerability",
    "vulnerabilities",
  ],
};

/** Checks paths first, then changed lines, then words: in the visible text, then in the source. */
function inArea({ paths, lines, words }: Area): EscalationTrigger {
  return ({ diff, sentences, source }) => {
    const file = diff.find(({ path }) => paths.test(path));
    if (file !== undefined) return `The diff touches ${quote(file.path)}.`;
    for (const { path, changed } of diff) {
      const line = changed.find((candidate) => lines.test(candidate.slice(0, 1000)));
      if (line !== undefined) return `The diff changes ${quote(line.trim())} in ${quote(path)}.`;
    }
    const sentence = findMention(sentences, words);
    if (sentence !== undefined) return `The artifact says ${quote(sentence)}.`;
    const written = findMention(source, words);
    return written === undefined ? undefined : `The artifact has, where a reader may not see it, ${quote(written)}.`;
  };
}

/** Question marks of several scripts. */
const QUESTION_MARK = /[?\uff1f\u061f\u037e\u2047\u2048\u2049\u055e\u2e2e]/;

const escalationTriggers: EscalationTriggers = {
  open_questions_present: ({ claim, artifact }) => {
    const [first] = claim.open_questions;
    if (first !== undefined)
      return `The claim has ${claim.open_questions.length} open questions, the first: ${quote(first)}.`;
    if (artifact.status !== "found") return undefined;
    const section = readSections(artifact.text).find(
      ({ key, text }) => key === "open_questions" && QUESTION_MARK.test(text),
    );
    return section === undefined ? undefined : `The section "${section.heading}" asks ${quote(section.text)}.`;
  },
  api_boundary_changed: inArea(interfaces),
  db_schema_changed: inArea(database),
  security_sensitive: inArea(security),
};

/** Returns the triggers that fire, with their evidence. A trigger that throws counts as fired. */
export function findEscalations(
  names: readonly string[],
  {
    claim,
    artifact,
    diff,
  }: { readonly claim: TriggerInput["claim"]; readonly artifact: Artifact; readonly diff?: string | undefined },
  custom: EscalationTriggers = {},
): readonly Escalation[] {
  if (names.length === 0) return [];
  const text = artifact.status === "found" ? artifact.text : "";
  const input: TriggerInput = {
    claim,
    artifact,
    sentences: [...sentencesOf(text), ...sourceOf(claim.summary)],
    source: sourceOf(text),
    diff: diff === undefined ? [] : parseDiff(diff),
  };
  return names.flatMap((trigger): Escalation[] => {
    const fire = ownValue(custom, trigger) ?? ownValue(escalationTriggers, trigger);
    if (fire === undefined) return [{ trigger, evidence: "The trigger is unknown, so a judge must look." }];
    try {
      const evidence = fire(input);
      return evidence === undefined ? [] : [{ trigger, evidence }];
    } catch (error) {
      return [
        {
          trigger,
          evidence: `The trigger threw ${quote(error instanceof Error ? error.message : error)}, so a judge must look.`,
        },
      ];
    }
  });
}
