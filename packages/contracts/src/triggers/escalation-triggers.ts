import { quote } from "@phasekit/core";
import type { Artifact } from "../artifact.ts";
import type { Claim } from "../claim-schema.ts";
import { readSections } from "../sections.ts";
import { findMention, sentencesOf } from "./find-mention.ts";
import { type DiffFile, parseDiff } from "./parse-diff.ts";

/** What a trigger may look at. */
export interface TriggerInput {
  readonly claim: Pick<Claim, "open_questions" | "summary" | "completed_phase">;
  readonly artifact: Artifact;
  /** The artifact's sentences, without code and comments. */
  readonly sentences: readonly string[];
  /** The files of the diff, when one was given. */
  readonly diff: readonly DiffFile[];
}

/** Says why a judge should look, with evidence; nothing when there is no reason. Pure. */
export type EscalationTrigger = (input: TriggerInput) => string | undefined;

/** Triggers by the names contracts use. */
export type EscalationTriggers = Readonly<Record<string, EscalationTrigger>>;

/** A trigger that fired, and by what. */
export interface Escalation {
  readonly trigger: string;
  readonly evidence: string;
}

/** How a sensitive area shows: in paths, in changed lines, in words. */
interface Area {
  readonly paths: RegExp;
  readonly lines: RegExp;
  readonly words: readonly string[];
}

const interfaces: Area = {
  paths: /(?:^|\/)(?:api|routes?|controllers?|endpoints?|webhooks?)\/|(?:^|\/)(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$|\.(?:proto|graphql|gql|avsc|wsdl)$/i,
  lines: /\b(?:app|router|server)\.(?:get|post|put|patch|delete)\s*\(|@(?:Get|Post|Put|Patch|Delete|Request)Mapping\b|\boperationId:/,
  words: ["endpoint", "route", "public api", "api contract", "api boundary", "breaking change", "request schema", "response schema", "version bump", "webhook", "graphql", "openapi", "public interface"],
};

const database: Area = {
  paths: /(?:^|\/)(?:migrations?|migrate)\/|\.sql$|(?:^|\/)schema\.(?:prisma|rb)$/i,
  lines: /\b(?:create|alter|drop|truncate)\s+(?:table|index|type|schema|view)\b|\b(?:add|drop|rename)\s+column\b|\bforeign\s+key\b/i,
  words: ["migration", "schema change", "database schema", "db schema", "alter table", "drop table", "create table", "drop column", "add column", "new column", "new table", "foreign key", "database index", "add index", "add an index", "new index", "unique index", "backfill"],
};

const security: Area = {
  paths: /(?:^|[/._-])(?:auth|authn|authz|oauth|login|password|secrets?|credentials?|crypto|permissions?|acl|rbac|sessions?|tokens?)(?:[/._-]|$)/i,
  lines: /\b(?:password|passwd|secret|api[_-]?key|private[_-]?key|credential|encrypt|decrypt|csrf|authoriz|authentic)/i,
  words: ["auth", "authentication", "authorization", "authorisation", "password", "secret", "api key", "token", "credential", "encrypt", "encryption", "decrypt", "permission", "session", "oauth", "csrf", "xss", "sql injection", "injection", "pii", "personal data", "privilege", "vulnerability", "vulnerabilities"],
};

/** Looks at paths first, then at changed lines, then at words. */
function inArea({ paths, lines, words }: Area): EscalationTrigger {
  return ({ diff, sentences }) => {
    const file = diff.find(({ path }) => paths.test(path));
    if (file !== undefined) return `The diff touches ${quote(file.path)}.`;
    for (const { path, changed } of diff) {
      const line = changed.find((candidate) => lines.test(candidate.slice(0, 1000)));
      if (line !== undefined) return `The diff changes ${quote(line.trim())} in ${quote(path)}.`;
    }
    const sentence = findMention(sentences, words);
    return sentence === undefined ? undefined : `The artifact says ${quote(sentence)}.`;
  };
}

const escalationTriggers: EscalationTriggers = {
  open_questions_present: ({ claim, artifact }) => {
    const [first] = claim.open_questions;
    if (first !== undefined) return `The claim has ${claim.open_questions.length} open questions, the first: ${quote(first)}.`;
    if (artifact.status !== "found") return undefined;
    const section = readSections(artifact.text).find(({ key }) => key === "open_questions");
    return section?.text.includes("?") === true ? `The section "${section.heading}" asks ${quote(section.text)}.` : undefined;
  },
  api_boundary_changed: inArea(interfaces),
  db_schema_changed: inArea(database),
  security_sensitive: inArea(security),
};

/** The triggers of a list that fire, each with its evidence. One that throws counts as fired: a judge then looks. */
export function findEscalations(
  names: readonly string[],
  { claim, artifact, diff }: { readonly claim: TriggerInput["claim"]; readonly artifact: Artifact; readonly diff?: string | undefined },
  custom: EscalationTriggers = {},
): readonly Escalation[] {
  if (names.length === 0) return [];
  const text = [artifact.status === "found" ? artifact.text : "", claim.summary].join("\n\n");
  const input: TriggerInput = { claim, artifact, sentences: sentencesOf(text), diff: diff === undefined ? [] : parseDiff(diff) };
  return names.flatMap((trigger): Escalation[] => {
    const fire = Object.hasOwn(custom, trigger) ? custom[trigger] : Object.hasOwn(escalationTriggers, trigger) ? escalationTriggers[trigger] : undefined;
    if (fire === undefined) return [{ trigger, evidence: "Nobody provides this trigger, so a judge has to look." }];
    try {
      const evidence = fire(input);
      return evidence === undefined ? [] : [{ trigger, evidence }];
    } catch (error) {
      return [{ trigger, evidence: `The trigger threw ${quote(error instanceof Error ? error.message : error)}, so a judge has to look.` }];
    }
  });
}
