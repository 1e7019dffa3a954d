import type { FaultControl } from '../../mutations/fault-controls.ts';
import { copyTree, writeEdits } from '../../mutations/tree.ts';

/** Files that a service needs to run. */
const ofServices = ['services', 'shared', 'cli', 'sdk', 'migrations', 'package.json', 'tsconfig.json'];

/** Copies the sources of the services and removes a protection from the copy. The caller deletes the folder. */
export async function treeWithout({ edits }: Pick<FaultControl, 'edits'>): Promise<string> {
  const tree = await copyTree(ofServices);
  await writeEdits(tree, edits);
  return tree;
}
