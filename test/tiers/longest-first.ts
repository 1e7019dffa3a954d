import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take many seconds, the longest first. In a fresh clone vitest goes by their size, which says little here:
 * one of them, begun last, keeps one core busy while the others have nothing to do.
 */
const longest = [
  'test/e2e/killed-processes.test.ts',
  'test/e2e/callbacks.test.ts',
  'test/integration/execution-path.integration.test.ts',
  'cli/demo/demo.integration.test.ts',
  'shared/kafka/message-bus.integration.test.ts',
  'shared/infrastructure/local.integration.test.ts',
  'services/api/access/keys.integration.test.ts',
  'shared/kafka/security.integration.test.ts',
  'test/integration/budgets.integration.test.ts',
];

/** Those first; the others as vitest has them: what failed, then what took long in the last run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const named = longest.flatMap((name) => others.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)));
    return [...named, ...others.filter((file) => !named.includes(file))];
  }
}
