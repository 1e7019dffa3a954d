import ts from 'typescript';

const logLevels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
/** Properties that only describe: in the API document, metrics and the command line. */
const descriptions = new Set(['description', 'summary', 'title', 'example', 'examples', 'help', 'buckets']);

/** True for code in which a change is no fault of behaviour: types, logging, wording and documentation. */
export function isWithoutEffect(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    isLogCall(node) ||
    isDescription(node) ||
    isErrorText(node)
  );
}

function isLogCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text === 'warn';
  return (
    ts.isPropertyAccessExpression(expression) &&
    logLevels.has(expression.name.text) &&
    /\b(logger|log)$/i.test(expression.expression.getText())
  );
}

function isDescription(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) return descriptions.has(node.name.text);
  if (ts.isSourceFile(node)) return false;
  const { parent } = node;
  return (
    ts.isCallExpression(parent) &&
    parent.expression !== node &&
    ts.isPropertyAccessExpression(parent.expression) &&
    ['describe', 'meta'].includes(parent.expression.name.text)
  );
}

function isErrorText(node: ts.Node): boolean {
  if (!ts.isTemplateExpression(node)) return false;
  const made = ts.findAncestor(node, ts.isNewExpression);
  return made !== undefined && /(Error|Problem)$/.test(made.expression.getText());
}
