import ts from 'typescript';
import type { Mutant, MutantKind } from './mutant.ts';
import { isWithoutEffect } from './without-effect.ts';

interface Change {
  kind: MutantKind;
  at: ts.Node;
  after: string;
}

const comparisons = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
]);
const equalities = new Map([
  ['===', '!=='],
  ['!==', '==='],
]);
const logic = new Map([
  ['&&', '||'],
  ['||', '&&'],
]);
const roundings = new Map([
  ['ceil', 'floor'],
  ['floor', 'ceil'],
]);

/** Numbers from here on are doubled, because a change by one would hardly change their meaning. */
const doubledFrom = 100;

/** Lists the changes that can be made to a source file, in the order of its text. */
export function findMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return;
    for (const { kind, at, after } of changesOf(node)) {
      const start = at.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ file, line, kind, start, end: at.end, before: at.getText(source), after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isIfStatement(node))
    return isLogging(node.thenStatement)
      ? []
      : [...negated(node.expression), { kind: 'branch', at: node.thenStatement, after: '{}' }];
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isBinaryExpression(node)) {
    const { operatorToken: at } = node;
    return [
      ...swapped('comparison', comparisons, at),
      ...swapped('equality', equalities, at),
      ...swapped('logic', logic, at),
    ];
  }
  if (ts.isPropertyAccessExpression(node))
    return node.expression.getText() === 'Math' ? swapped('rounding', roundings, node.name) : [];
  if (ts.isAwaitExpression(node))
    return isReturned(node) ? [] : [{ kind: 'await', at: node, after: node.expression.getText() }];
  return constantsOf(node);
}

/** An equality is negated by its own operator. */
function negated(at: ts.Expression): Change[] {
  if (ts.isBinaryExpression(at) && equalities.has(at.operatorToken.getText())) return [];
  return [{ kind: 'condition', at, after: `!(${at.getText()})` }];
}

function swapped(kind: MutantKind, pairs: ReadonlyMap<string, string>, at: ts.Node): Change[] {
  const after = pairs.get(at.getText());
  return after === undefined ? [] : [{ kind, at, after }];
}

function constantsOf(node: ts.Node): Change[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ kind: 'constant', at: node, after: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ kind: 'constant', at: node, after: 'true' }];
  if (ts.isBigIntLiteral(node))
    return [{ kind: 'constant', at: node, after: `${BigInt(node.text.slice(0, -1)) + 1n}n` }];
  if (!ts.isNumericLiteral(node) || (ts.isPropertyAssignment(node.parent) && node.parent.name === node)) return [];
  const value = Number(node.text);
  // The direction depends on the position, so that a seed makes the same change again.
  const step = node.pos % 2 === 0 || value === 0 ? 1 : -1;
  return [{ kind: 'constant', at: node, after: String(value >= doubledFrom ? value * 2 : value + step) }];
}

/** True if the result is returned directly. Then `await` changes nothing outside of `try`. */
function isReturned({ parent }: ts.Node): boolean {
  if (!ts.isReturnStatement(parent) && !ts.isArrowFunction(parent)) return false;
  const around = ts.findAncestor(parent, (each) => ts.isTryStatement(each) || ts.isFunctionLike(each));
  return around === undefined || !ts.isTryStatement(around);
}

function isLogging(node: ts.Node): boolean {
  const statements: readonly ts.Node[] = ts.isBlock(node) ? node.statements : [node];
  const [only] = statements;
  if (statements.length !== 1 || only === undefined) return false;
  return ts.isExpressionStatement(only) && isWithoutEffect(only.expression);
}
