import { ensureConsoleBuilt } from '../../services/console/built-console.ts';

/**
 * The pages that the tests open are those of the sources as they are; their build fails when the initial load is too
 * large.
 */
export default async function setup(): Promise<void> {
  await ensureConsoleBuilt();
}
