import { Command, CommanderError } from 'commander';
import packageFacts from '../package.json' with { type: 'json' };
import { registerActionTypes } from './commands/action-types.ts';
import { registerApiKey } from './commands/api-key.ts';
import { registerAudience } from './commands/audience.ts';
import { registerAudit } from './commands/audit.ts';
import { registerCampaign } from './commands/campaign.ts';
import { registerCheckEndpoint } from './commands/check-endpoint.ts';
import { registerClients } from './commands/clients.ts';
import { registerConfig } from './commands/config.ts';
import { registerConsole } from './commands/console.ts';
import { registerDeadJobs } from './commands/dead-jobs.ts';
import { registerDeadLetters } from './commands/dead-letters.ts';
import { registerDemo } from './commands/demo.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerExplain } from './commands/explain.ts';
import { registerInstallation } from './commands/installation.ts';
import { registerQuarantinedSteps } from './commands/quarantined-steps.ts';
import { registerJobs } from './commands/jobs.ts';
import { registerShards } from './commands/shards.ts';
import { registerRun } from './commands/run.ts';
import { registerGroups, registerSchedules } from './commands/schedules.ts';
import { registerScheduler } from './commands/scheduler.ts';
import { registerServe } from './commands/serve.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { createSession, type SessionDeps } from './session.ts';

/** Runs one command line, without the names of node and script, and returns the exit code. Never throws. */
export async function runProgram(args: readonly string[], deps: SessionDeps): Promise<ExitCode> {
  const session = createSession(deps);
  const { terminal } = deps;
  const program = new Command('muster')
    .description('Batch campaigns on Kafka and Postgres: who, what and when for millions of users.')
    .version(packageFacts.version, '-V, --version')
    .option('--json', 'data as JSON')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.note(text) })
    .showHelpAfterError('(--help shows what there is)');
  const register = [
    registerDemo,
    registerServe,
    registerInstallation,
    registerConfig,
    registerCampaign,
    registerActionTypes,
    registerShards,
    registerClients,
    registerJobs,
    registerExplain,
    registerAudience,
    registerRun,
    registerSchedules,
    registerGroups,
    registerDeadLetters,
    registerScheduler,
    registerDeadJobs,
    registerQuarantinedSteps,
    registerAudit,
    registerApiKey,
    registerConsole,
    registerCheckEndpoint,
    registerDoctor,
  ];
  for (const add of register) add(program, session);

  try {
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has already said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failure;
  }
}
