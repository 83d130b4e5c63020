import ts from "typescript";
import baseConfig from "./tsconfig/base.json" with { type: "json" };

/** A lookup in an object by a name that may come from outside. */
export interface TableLookup {
  readonly file: string;
  readonly line: number;
  /** The expression. */
  readonly text: string;
}

/** A comment with this text, on the line or the one above, allows a lookup and says why. */
const ALLOWED = /\/\/ own key: \S/;

/**
 * Finds lookups that reach `Object.prototype`: `table[name]`, `name in table` and `{ [name]: x } = table` answer
 * "constructor" with a function. A lookup counts if its key is any text, and if its object is a literal or has a type
 * that promises more than `unknown`. `tableOf({ … })` has no prototype, and `ownValue(object, name)` does not ask it.
 */
export function findTableLookups(files: readonly string[]): readonly TableLookup[] {
  const { options } = ts.convertCompilerOptionsFromJson(baseConfig.compilerOptions, import.meta.dirname);
  const program = ts.createProgram(files, {
    ...options,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: "preact",
  });
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : lookupsIn(source, checker);
  });
}

function lookupsIn(source: ts.SourceFile, checker: ts.TypeChecker): readonly TableLookup[] {
  const found: TableLookup[] = [];
  const lines = source.text.split("\n");
  const visit = (node: ts.Node): void => {
    if (isLookup(node, checker)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (!ALLOWED.test(`${lines[line - 1] ?? ""}\n${lines[line] ?? ""}`))
        found.push({ file: source.fileName, line: line + 1, text: node.getText().replaceAll(/\s+/g, " ") });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isLookup(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isElementAccessExpression(node)) {
    if (!isAnyText(node.argumentExpression, checker)) return false;
    return isLiteral(node.expression, checker) || promises(node, checker) ? !isTable(node.expression, checker) : false;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return isAnyText(node.left, checker) && !isTable(node.right, checker);
  return ts.isBindingElement(node) && node.propertyName !== undefined && ts.isComputedPropertyName(node.propertyName)
    ? isAnyText(node.propertyName.expression, checker)
    : false;
}

/** True if an expression may be any text: also if a cast says that it is one of a few words. */
function isAnyText(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  let given = expression;
  while (ts.isAsExpression(given) || ts.isParenthesizedExpression(given)) given = given.expression;
  return isOpen(checker.getTypeAtLocation(given), checker) && !ts.isStringLiteralLike(given);
}

function isOpen(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnionOrIntersection()) return type.types.some((part) => isOpen(part, checker));
  if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) {
    const constraint = checker.getBaseConstraintOfType(type);
    return constraint !== undefined && isOpen(constraint, checker);
  }
  const { String, TemplateLiteral, StringMapping, Any, Unknown } = ts.TypeFlags;
  return (type.flags & (String | TemplateLiteral | StringMapping | Any | Unknown)) !== 0;
}

/** True if the type of an object says what is found. A value of type `unknown` is checked before it is used. */
function promises({ expression }: ts.ElementAccessExpression, checker: ts.TypeChecker): boolean {
  const object = checker.getNonNullableType(checker.getTypeAtLocation(expression));
  const found = checker.getIndexInfoOfType(object, ts.IndexKind.String)?.type;
  return found === undefined || (found.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) === 0;
}

function isLiteral(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  const value = valueOf(expression, checker);
  return value !== undefined && ts.isObjectLiteralExpression(value);
}

function isTable(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  const value = valueOf(expression, checker);
  return value !== undefined && ts.isCallExpression(value) && value.expression.getText() === "tableOf";
}

/** The expression a variable was declared with; of any other expression, itself. */
function valueOf(expression: ts.Expression, checker: ts.TypeChecker): ts.Expression | undefined {
  const plain = strip(expression);
  if (!ts.isIdentifier(plain)) return plain;
  const symbol = checker.getSymbolAtLocation(plain);
  const declared =
    symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = declared?.valueDeclaration;
  return declaration !== undefined && ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined
    ? strip(declaration.initializer)
    : undefined;
}

function strip(expression: ts.Expression): ts.Expression {
  let plain = expression;
  while (ts.isAsExpression(plain) || ts.isSatisfiesExpression(plain) || ts.isParenthesizedExpression(plain))
    plain = plain.expression;
  return plain;
}
