import path from 'node:path';
import ts from 'typescript';
import type { Manifest } from './helm.ts';

/** Modules with the types of each kind, generated from the schemas of Kubernetes and of the operators. */
const modules: Readonly<Record<string, string>> = {
  'apps/v1': 'kubernetes-models/apps/v1',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  v1: 'kubernetes-models/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'external-secrets.io/v1beta1': '@kubernetes-models/external-secrets/external-secrets.io/v1beta1',
};
/** Versions without types of their own, and the version with the same fields. */
const same: Readonly<Record<string, string>> = { 'external-secrets.io/v1': 'external-secrets.io/v1beta1' };

/**
 * Returns what Kubernetes would refuse in these manifests, or would ignore because it does not know the field. Each
 * manifest is compiled as a literal of the type of its kind. A kind without types is a problem, too.
 */
export function problemsOfKinds(rendered: readonly Manifest[]): string[] {
  const manifests = rendered.map((each) => ({ ...each, apiVersion: same[each.apiVersion] ?? each.apiVersion }));
  const unknown = manifests.filter(({ apiVersion }) => !(apiVersion in modules));
  const known = manifests.filter(({ apiVersion }) => apiVersion in modules);
  const lines = known.map(({ apiVersion, kind, ...rest }, place) => {
    const from = modules[apiVersion] ?? '';
    const value = JSON.stringify({ apiVersion, kind, ...rest });
    return `import type { I${kind} as T${place} } from '${from}'; export const m${place}: T${place} = ${value};`;
  });
  const file = path.join(import.meta.dirname, 'rendered-manifests.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version, ...others) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), version) : readSource(name, version, ...others);
  const found = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return [
    ...unknown.map(({ apiVersion, kind }) => `no types of ${apiVersion} ${kind}`),
    ...found.map(({ file: at, start = 0, messageText }) => {
      const which = at?.fileName === file ? known[at.getLineAndCharacterOfPosition(start).line] : undefined;
      return `${which ? `${which.kind} ${which.metadata.name}: ` : ''}${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    }),
  ];
}
