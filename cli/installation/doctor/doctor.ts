import { examine, type Check } from '../../../shared/infrastructure/doctor.ts';
import { listCampaigns } from '../../../sdk/generated/sdk.gen.ts';
import { apiFrom } from '../../api/api-client.ts';
import { ApiRefusal } from '../../api/failures.ts';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { UsageError } from '../../frame/usage-error.ts';
import { createPaint, type Paint } from '../../show/paint.ts';
import { checkConfiguration, configured, configuredIn } from './check-configuration.ts';
import { examineInstallation } from './examine-installation.ts';

/** Runs all checks without starting anything. Skips servers that are not configured. */
export async function runDoctor(context: CommandContext): Promise<ExitCode> {
  const { environment } = context;
  const checks = [
    ...(await examine(environment)),
    ...(await examineInstallation(environment)),
    ...(await checkApi(environment)),
  ];
  return report(checks, context);
}

/** Checks only the configuration, without connecting to other machines. */
export async function runConfigCheck(services: readonly string[], context: CommandContext): Promise<ExitCode> {
  const unknown = services.filter((name) => !configured.some((known) => known === name));
  if (unknown.length > 0) throw new UsageError(`no service is called ${unknown.join(', ')}: ${configured.join(', ')}`);
  const selected =
    services.length === 0 ? configuredIn(context.environment) : configured.filter((name) => services.includes(name));
  return report(await checkConfiguration(selected, context.environment), context);
}

function report(checks: readonly Check[], context: CommandContext): ExitCode {
  writeData(context, { checks }, () => renderChecks(checks, createPaint(context.terminal.colours.out)));
  return checks.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.failure;
}

export function renderChecks(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, ok, found, fix }) => {
      const mark = ok ? paint.good('✔') : paint.bad('✖');
      const line = `${mark} ${name.padEnd(width)}  ${found}\n`;
      return ok ? line : `${line}  ${''.padEnd(width)}  ${paint.accent(`→ ${fix}`)}\n`;
    })
    .join('');
}

async function checkApi(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  if ((environment['MUSTER_API_URL'] ?? environment['MUSTER_API_KEY'] ?? '') === '') return [];
  const name = 'API';
  try {
    await listCampaigns({ client: apiFrom(environment), query: { limit: 1 } });
    return [{ name, ok: true, found: 'answers and takes the key', fix: '' }];
  } catch (error) {
    const fix = error instanceof ApiRefusal ? 'muster first-key <name>' : 'muster serve all';
    return [{ name, ok: false, found: messageOf(error), fix }];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
