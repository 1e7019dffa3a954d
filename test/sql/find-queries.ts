import { relative } from 'node:path';
import ts from 'typescript';

/** A place in the code that runs a statement. */
export interface Query {
  /** Relative to the repository's top. */
  file: string;
  line: number;
  /**
   * Expressions over the module's own names, each of which returns the statement. Empty if the statement cannot be
   * followed.
   */
  statements: string[];
  /** Values of the query in order or by name; undefined if the call does not contain them. */
  values: Kind[][] | Map<string, Kind[]> | undefined;
  /** Declared columns of the rows by name. Undefined if nothing is declared; empty if only an object is declared. */
  row: Map<string, Column> | undefined;
}

/** Type of a field, as far as Postgres determines it. */
export interface Column {
  kinds: Set<Kind>;
  isOptional: boolean;
}

export type Kind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'array' | 'object' | 'null' | 'unknown';

/** Returns all calls of `query` on connections of `pg` in these files. */
export function findQueries(root: string, files: readonly string[], options: ts.CompilerOptions): Query[] {
  const program = ts.createProgram([...files], options);
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    const found: Query[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isQuery(node, checker)) found.push(queryOf(node, root, checker));
      ts.forEachChild(node, visit);
    };
    if (source) visit(source);
    return found;
  });
}

function isQuery({ expression }: ts.CallExpression, checker: ts.TypeChecker): boolean {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'query') return false;
  const [declaration] = checker.getSymbolAtLocation(expression.name)?.declarations ?? [];
  return declaration?.getSourceFile().fileName.includes('/@types/pg/') === true;
}

function queryOf(call: ts.CallExpression, root: string, checker: ts.TypeChecker): Query {
  const source = call.getSourceFile();
  const [requested, values] = call.arguments;
  const statements = requested ? follow(requested, checker) : [];
  const [row] = call.typeArguments ?? [];
  return {
    file: relative(root, source.fileName),
    line: source.getLineAndCharacterOfPosition(call.getStart()).line + 1,
    statements: statements.every((each) => each !== undefined) ? statements.map((each) => each.getText()) : [],
    values: values ? listed(values, checker) : requested && named(requested, checker),
    row: row && columnsOf(checker.getTypeFromTypeNode(row), checker),
  };
}

function listed(values: ts.Expression, checker: ts.TypeChecker): Kind[][] | undefined {
  if (!ts.isArrayLiteralExpression(values) || values.elements.some(ts.isSpreadElement)) return undefined;
  return values.elements.map((value) => kindsOf(checker.getTypeAtLocation(value), checker));
}

/** Returns the named values that are passed to `with`. */
function named(request: ts.Expression, checker: ts.TypeChecker): Map<string, Kind[]> | undefined {
  if (!isWith(request)) return undefined;
  const [params] = request.arguments;
  const fields = params ? checker.getTypeAtLocation(params).getProperties() : [];
  return new Map(fields.map((field) => [field.name, kindsOf(checker.getTypeOfSymbol(field), checker)]));
}

function isWith(node: ts.Expression): node is ts.CallExpression & { readonly expression: ts.PropertyAccessExpression } {
  return (
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'with'
  );
}

/**
 * Follows an expression to expressions over the module's own names, which can be evaluated. Undefined where that fails.
 */
function follow(node: ts.Expression, checker: ts.TypeChecker): (ts.Expression | undefined)[] {
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((each) => follow(each, checker));
  if (ts.isParenthesizedExpression(node)) return follow(node.expression, checker);
  if (ts.isObjectLiteralExpression(node)) return node.properties.flatMap((each) => followProperty(each, checker));
  if (isWith(node)) return follow(node.expression.expression, checker);
  if (onlyOfModule(node, checker)) return [node];
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const called = declarationOf(node.expression, checker);
    if (called && ts.isFunctionDeclaration(called)) return returnedBy(called).flatMap((each) => follow(each, checker));
  }
  return ts.isIdentifier(node) ? followDeclaration(declarationOf(node, checker), checker) : [undefined];
}

/** Follows a local variable to its value, or a parameter to the arguments of callers in the same file. */
function followDeclaration(
  declaration: ts.Declaration | undefined,
  checker: ts.TypeChecker,
): (ts.Expression | undefined)[] {
  if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer)
    return ts.isIdentifier(declaration.name) ? follow(declaration.initializer, checker) : [undefined];
  if (!declaration || !ts.isParameter(declaration) || !ts.isFunctionDeclaration(declaration.parent)) return [undefined];
  const called = declaration.parent;
  const place = called.parameters.indexOf(declaration);
  const handedOver = callsOf(called, checker).map((call) => call.arguments[place]);
  return handedOver.length === 0
    ? [undefined]
    : handedOver.flatMap((each) => (each ? follow(each, checker) : [undefined]));
}

function callsOf(called: ts.FunctionDeclaration, checker: ts.TypeChecker): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      declarationOf(node.expression, checker) === called
    )
      calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(called.getSourceFile());
  return calls;
}

function returnedBy({ body }: ts.FunctionDeclaration): ts.Expression[] {
  const returned: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) returned.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  if (body) ts.forEachChild(body, visit);
  return returned;
}

/** Follows a property of a query's config: its text, or another config that is spread into it. */
function followProperty(property: ts.ObjectLiteralElementLike, checker: ts.TypeChecker) {
  if (ts.isSpreadAssignment(property)) return follow(property.expression, checker);
  if (property.name.getText() !== 'text') return [];
  if (ts.isPropertyAssignment(property)) return follow(property.initializer, checker);
  if (!ts.isShorthandPropertyAssignment(property)) return [undefined];
  const declaration = checker.getShorthandAssignmentValueSymbol(property)?.valueDeclaration;
  return declaration && isAtTop(declaration) ? [property.name] : followDeclaration(declaration, checker);
}

function onlyOfModule(node: ts.Node, checker: ts.TypeChecker, within = node): boolean {
  if (ts.isIdentifier(node) && !isName(node)) {
    const declaration = declarationOf(node, checker);
    const isInside =
      declaration?.getSourceFile() === within.getSourceFile() &&
      within.getStart() <= declaration.getStart() &&
      declaration.end <= within.end;
    if (!isInside && !isOfModule(node, checker)) return false;
  }
  return ts.forEachChild(node, (child) => (onlyOfModule(child, checker, within) ? undefined : 'no')) === undefined;
}

/** Returns true if the identifier only names a property or key. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node)
  );
}

function isOfModule(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  const declaration = declarationOf(node, checker);
  if (!declaration) return false;
  return declaration.getSourceFile() !== node.getSourceFile() || isAtTop(declaration);
}

function isAtTop(declaration: ts.Node): boolean {
  for (let node = declaration.parent; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isFunctionLike(node) || ts.isBlock(node)) return false;
  }
  return true;
}

function declarationOf(node: ts.Identifier, checker: ts.TypeChecker): ts.Declaration | undefined {
  return checker.getSymbolAtLocation(node)?.declarations?.[0];
}

/**
 * Returns the columns of a row type by name, or by position if rows are arrays. Empty if the type has no fields, such
 * as `object`.
 */
function columnsOf(type: ts.Type, checker: ts.TypeChecker): Map<string, Column> {
  const parts = type.isUnion() ? type.types : [type];
  const columns = new Map<string, Column>();
  for (const part of parts) {
    const fields = part.getProperties();
    // Rows that are arrays have columns by position.
    const isByPlace = checker.isTupleType(part);
    for (const property of isByPlace ? fields.filter(({ name }) => /^\d+$/.test(name)) : fields) {
      const kinds = kindsOf(checker.getTypeOfSymbol(property), checker);
      const isOptional =
        parts.some((other) => !other.getProperty(property.name)) || (property.flags & ts.SymbolFlags.Optional) !== 0;
      const known = columns.get(property.name)?.kinds ?? [];
      columns.set(property.name, { kinds: new Set([...known, ...kinds]), isOptional });
    }
  }
  return columns;
}

function kindsOf(type: ts.Type, checker: ts.TypeChecker): Kind[] {
  if (type.isUnion()) return type.types.flatMap((each) => kindsOf(each, checker));
  const is = (flags: ts.TypeFlags) => (type.flags & flags) !== 0;
  if (is(ts.TypeFlags.StringLike)) return ['string'];
  if (is(ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike)) return ['number'];
  if (is(ts.TypeFlags.BooleanLike)) return ['boolean'];
  if (is(ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return ['null'];
  if (is(ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return ['unknown'];
  if (checker.isArrayType(type) || checker.isTupleType(type)) return ['array'];
  const name = type.getSymbol()?.name;
  return [name === 'Date' || name === 'Buffer' ? name : 'object'];
}
