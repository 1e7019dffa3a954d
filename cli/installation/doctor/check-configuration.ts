import type { Check } from '../../../shared/infrastructure/doctor.ts';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';
import { definitions } from '../serve/serve.ts';

export const configured = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'connectors'] as const;

export type Configured = (typeof configured)[number];

/**
 * Returns the services of an installation. The connectors are included only if `CONNECTORS_CONFIG` names their file.
 */
export function configuredIn(environment: NodeJS.ProcessEnv): readonly Configured[] {
  const hasConnectors = (environment['CONNECTORS_CONFIG'] ?? '') !== '';
  return configured.filter((name) => name !== 'connectors' || hasConnectors);
}

/** Reads the configuration as the services do, and reports all errors at once. Starts and connects to nothing. */
export async function checkConfiguration(
  services: readonly Configured[],
  environment: NodeJS.ProcessEnv,
): Promise<Check[]> {
  const read = await Promise.all(
    services.map(async (name) => ({ name, problems: problemsOf((await definitions[name]()).prepare, environment) })),
  );
  const right = read.filter(({ problems }) => problems.length === 0).map(({ name }) => name);
  const wrong = Map.groupBy(
    read.flatMap(({ name, problems }) => problems.map((problem) => ({ name, problem }))),
    ({ problem }) => problem,
  );
  const fix = 'correct it: docs/configuration.md';
  return [
    ...(right.length === 0
      ? []
      : [{ name: 'configuration', ok: true, found: `is right for ${right.join(', ')}`, fix }]),
    ...[...wrong].map(([problem, of]) => {
      const whose = of.length === read.length ? '' : ` (${of.map(({ name }) => name).join(', ')})`;
      return { name: 'configuration', ok: false, found: `${problem}${whose}`, fix };
    }),
  ];
}

function problemsOf(prepare: (environment: NodeJS.ProcessEnv) => unknown, environment: NodeJS.ProcessEnv): string[] {
  try {
    prepare(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return [...error.problems];
    throw error;
  }
}
