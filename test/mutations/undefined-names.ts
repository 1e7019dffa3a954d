import ts from 'typescript';

/** Codes of "Cannot find name": as it is, with a suggestion, and for a shorthand property. */
const undefinedName = new Set([2304, 2552, 18004]);
const options: ts.CompilerOptions = {
  noResolve: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  types: [],
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  noEmit: true,
};
const globals = '/globals-of-node.d.ts';
const globalsOfNode = 'declare const process: any; declare const Buffer: any; declare namespace NodeJS {}';

/**
 * Returns the names that modules use and nothing declares, as messages by key. Imports are not read: every imported
 * name counts as declared.
 * @param modules sources by key
 */
export function undefinedNamesIn(modules: ReadonlyMap<string, string>): Map<string, string[]> {
  const keys = [...modules.keys()];
  const fileOfPlace = (place: number) => `/module-${place}.ts`;
  const sources = new Map([...modules.values()].map((source, place) => [fileOfPlace(place), source]));
  sources.set(globals, globalsOfNode);
  const host = ts.createCompilerHost(options);
  const readLibrary = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const source = sources.get(name);
    return source === undefined ? readLibrary(name, version) : ts.createSourceFile(name, source, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  const messages = keys.map((_, place) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(fileOfPlace(place)))
      .filter(({ code }) => undefinedName.has(code))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
  return new Map(keys.map((key, place) => [key, messages[place] ?? []]));
}
