import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { publicEntries, publishedPackages, root, type WorkspacePackage } from "./workspace.ts";

/** One error code, as the sources describe it. */
interface ErrorEntry {
  readonly code: string;
  readonly package: string;
  readonly when: string;
  readonly messages: readonly string[];
  readonly hints: readonly string[];
  readonly thrownBy: readonly string[];
}

// Descriptions of codes without a comment in errors.ts; a comment there comes first.
const WHEN: Readonly<Record<string, string>> = {
  DUPLICATE_POLICY: "Two policies of one run have the same name. A policy's name is its identity in the log.",
  UNKNOWN_GUARD: "An edge of the graph names a condition, and none of the run's policies has it under `guards`.",
  INVALID_OPTION: "An option has a value that no run could work with.",
  RUN_ENDED: "A run that has ended is used for another invocation. A run is one attempt at one task.",
  CALLED_FROM_POLICY:
    "A policy asked the run a question, or ended it, while the run was deciding. It is recorded as a failure of the policy; the agent does not notice.",
  DAMAGED_LOG: "A stored log has a gap, runs backwards in time, or does not begin with `run.started`.",
  UNKNOWN_EVENT: "A stored event is of a type or version this version of the package does not know.",
};

/** Every code with its fix as data, for `phasekit explain`. */
export function errorCodes(): string {
  const entries = publishedPackages()
    .flatMap(errorsOf)
    .map(({ code, package: name, when, messages, hints }) => ({
      code,
      package: name,
      when,
      message: messages.join(" / "),
      fix: hints.join(" Or: "),
    }));
  return `${JSON.stringify(entries, undefined, 2)}\n`;
}

/** docs/errors.md, from the `errors.ts` of every package. */
export function errorPage(): string {
  const entries = publishedPackages().flatMap(errorsOf);
  return [
    "# Errors",
    "",
    "<!-- Written by `pnpm reference` from the errors.ts of each package. Do not edit. -->",
    "",
    "Wrong use throws a `PhasekitError`: `code` for programs, `message` for what happened, `hint` for what to do. Ask",
    "with `isPhasekitError(error, code)`. A wrong *event* never throws: `record` returns `false` and the log gets a",
    "`event.rejected`. A failing *policy* never throws either: the log gets a `policy.failed`. Codes do not change their",
    "meaning.",
    "",
    "In the texts below, ‹words in these brackets› stand for values.",
    ...entries.flatMap(({ code, package: name, when, messages, hints, thrownBy }) => [
      "",
      `## ${code}`,
      "",
      when,
      "",
      `- **Message:** ${messages.join(" / ")}`,
      `- **What to do:** ${hints.join(" Or: ")}`,
      ...(thrownBy.length === 0 ? [] : [`- **Thrown by:** ${thrownBy.map((thrower) => `\`${thrower}\``).join(", ")}`]),
      `- **Package:** \`${name}\``,
    ]),
    "",
  ].join("\n");
}

function errorsOf({ name, directory }: WorkspacePackage): readonly ErrorEntry[] {
  const path = join(directory, "src/errors.ts");
  // A package without a README is not there yet.
  if (!existsSync(path) || !existsSync(join(directory, "README.md"))) return [];
  const throwers = throwersOf(directory);
  return parse(path)
    .statements.filter(ts.isFunctionDeclaration)
    .flatMap((declaration) => {
      const created = firstIn(declaration, isErrorCreation);
      const [code, message, options] = created?.arguments ?? [];
      if (code === undefined || message === undefined || !ts.isStringLiteral(code)) return [];
      const parameters = declaration.parameters.map((parameter) => parameter.name.getText());
      const defaults = new Map(
        declaration.parameters.map(({ name: own, initializer }) => [own.getText(), initializer]),
      );
      const hint =
        options && ts.isObjectLiteralExpression(options)
          ? options.properties.find(({ name: key }) => key?.getText() === "hint")
          : undefined;
      const when = commentOf(declaration) ?? WHEN[code.text];
      if (when === undefined) throw new Error(`${path}: say in a comment when ${code.text} is thrown.`);
      return [
        {
          code: code.text,
          package: name,
          when,
          messages: textsOf(message, { parameters, defaults }),
          hints:
            hint !== undefined && ts.isPropertyAssignment(hint)
              ? textsOf(hint.initializer, { parameters, defaults })
              : [],
          thrownBy: throwers.get(code.text) ?? [],
        },
      ];
    });
}

function isErrorCreation(node: ts.Node): node is ts.NewExpression {
  return ts.isNewExpression(node) && node.expression.getText() === "PhasekitError";
}

interface Scope {
  readonly parameters: readonly string[];
  readonly defaults: ReadonlyMap<string, ts.Expression | undefined>;
}

/** The texts an expression may give: two for a condition, else one. */
function textsOf(expression: ts.Expression, scope: Scope): readonly string[] {
  if (ts.isConditionalExpression(expression))
    return [...textsOf(expression.whenTrue, scope), ...textsOf(expression.whenFalse, scope)];
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (!ts.isTemplateExpression(expression)) throw new Error(`A message must be a text: ${expression.getText()}`);
  const parts = expression.templateSpans.map(
    ({ expression: value, literal }) => placeholder(value, scope) + literal.text,
  );
  return [expression.head.text + parts.join("")];
}

/** The parameter a value comes from, in brackets; its default when that is a text. */
function placeholder(value: ts.Expression, { parameters, defaults }: Scope): string {
  const used = firstIn(value, (node): node is ts.Identifier => ts.isIdentifier(node) && parameters.includes(node.text));
  const standard = used === undefined ? undefined : defaults.get(used.text);
  if (standard !== undefined && ts.isStringLiteralLike(standard)) return standard.text;
  return `‹${used?.text ?? "value"}›`;
}

/** The exported functions whose comment names a code. */
function throwersOf(directory: string): ReadonlyMap<string, readonly string[]> {
  const byCode = new Map<string, string[]>();
  const entries = globSync(publicEntries, { cwd: directory })
    .sort()
    .map((entry) => parse(join(directory, entry)));
  for (const statement of entries.flatMap(({ statements }) => statements.filter(ts.isExportDeclaration))) {
    const { exportClause, moduleSpecifier } = statement;
    if (
      exportClause === undefined ||
      !ts.isNamedExports(exportClause) ||
      moduleSpecifier === undefined ||
      !ts.isStringLiteral(moduleSpecifier)
    )
      continue;
    const names = new Set(exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text));
    for (const declaration of parse(join(directory, "src", moduleSpecifier.text)).statements.filter(
      ts.isFunctionDeclaration,
    )) {
      const name = declaration.name?.text ?? "";
      if (!names.has(name)) continue;
      const comment = ts
        .getJSDocCommentsAndTags(declaration)
        .map((node) => node.getText())
        .join("\n");
      for (const [code] of comment.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)) {
        const throwers = byCode.get(code) ?? [];
        if (!throwers.includes(name)) byCode.set(code, [...throwers, name]);
      }
    }
  }
  return byCode;
}

function commentOf(node: ts.Node): string | undefined {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return comments
    .map(({ comment }) => ts.getTextOfJSDocComment(comment))
    .find((text) => text !== undefined)
    ?.replaceAll(/\s+/g, " ");
}

function firstIn<T extends ts.Node>(node: ts.Node, wanted: (node: ts.Node) => node is T): T | undefined {
  return wanted(node) ? node : ts.forEachChild(node, (child) => firstIn(child, wanted));
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path.slice(root.length), readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
}
