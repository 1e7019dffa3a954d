import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Returns the modules that these load at the start or later, themselves included. Imports of types do not count. */
export function reachableFiles(entries: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const ahead = [...entries];
  for (let file = ahead.pop(); file !== undefined; file = ahead.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const specifier of loadedBy(file)) {
      const found = join(dirname(file), specifier);
      if (specifier.startsWith('.') && existsSync(found)) ahead.push(found);
    }
  }
  return reached;
}

function loadedBy(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const loaded: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteral(specifier)) loaded.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return loaded;
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) return isOfTypes(node.importClause) ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? node.arguments[0] : undefined;
}

function isOfTypes(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}
