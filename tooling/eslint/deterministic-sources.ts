import type { Rule, Scope } from "eslint";

/** Names that answer differently on another host, at another time, or after a garbage collection. */
const hostNames = new Set(["Intl", "WeakRef", "FinalizationRegistry", "performance", "crypto"]);

/** Methods whose result depends on the language and the time zone of the host. */
const localeMethods = /^(?:toLocale\w+|localeCompare)$/;

/**
 * A run must be the same in every replay, so that durable engines can compute it again. Beside the clock and random
 * numbers, which other rules forbid, sources read nothing of the host and keep no state between runs: a variable of a
 * module may only be filled once, with `??=`.
 */
export const deterministicSources: Rule.RuleModule = {
  meta: { type: "problem", schema: [] },
  create: (context) => {
    const report = (node: Rule.Node, what: string): void =>
      context.report({ node, message: `${what} differs between a run and its replay; pass it in as an option.` });
    return {
      "NewExpression[callee.name='Date'][arguments.length=0]": (node: Rule.Node) => report(node, "The host's clock"),
      "CallExpression[callee.name='Date']": (node: Rule.Node) => report(node, "The host's clock"),
      MemberExpression: ({ property, computed }) => {
        if (!computed && property.type === "Identifier" && localeMethods.test(property.name))
          report(property as Rule.Node, "The host's language");
      },
      "Program:exit": (node) => {
        const { globalScope, scopes } = context.sourceCode.scopeManager;
        const known = [...hostNames].flatMap((name) => globalScope?.set.get(name)?.references ?? []);
        for (const { identifier } of [...known, ...(globalScope?.through ?? [])])
          if (hostNames.has(identifier.name)) report(identifier as Rule.Node, `"${identifier.name}"`);
        for (const variable of moduleVariables(scopes))
          if (isRefilled(variable)) report(node as Rule.Node, `"${variable.name}", state of the module,`);
      },
    };
  },
};

function moduleVariables(scopes: readonly Scope.Scope[]): readonly Scope.Variable[] {
  const module = scopes.find(({ type }) => type === "module");
  return module?.variables.filter(({ defs }) => defs.some(({ type }) => type === "Variable")) ?? [];
}

/** True if a variable gets a value more than once. */
function isRefilled({ references }: Scope.Variable): boolean {
  return references.some((reference) => {
    if (!reference.isWrite() || reference.init === true) return false;
    const { parent } = reference.identifier as { readonly parent?: { readonly operator?: unknown } };
    return parent?.operator !== "??=";
  });
}
