import { readInstallation } from '../../../shared/postgres/registry/installation.ts';
import { commonEnvironment, readEnvironment } from '../../../shared/runtime/configuration/environment.ts';
import { readTargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { aclCommand, aclsOf } from './acls.ts';
import { withDatabase } from '../configuration/config.ts';
import { grantsSql } from '../../../shared/postgres/roles/grants.ts';

export function printGrants(prefix: string, context: CommandContext): Promise<ExitCode> {
  const sql = grantsSql(prefix);
  writeData(context, { sql }, () => sql);
  return Promise.resolve(exitCodes.ok);
}

export async function printAcls(
  names: { prefix: string; regions: string },
  context: CommandContext,
): Promise<ExitCode> {
  const shape = commonEnvironment.pick({ KAFKA_BROKERS: true, MUSTER_TOPIC_PREFIX: true });
  const { KAFKA_BROKERS: brokers, MUSTER_TOPIC_PREFIX: topicPrefix } = readEnvironment(shape, context.environment);
  // The id of the installation is read first, because names of consumer groups contain it.
  const { id: installationId } = await withDatabase(context, (pool) => readInstallation(pool));
  const regions = names.regions.split(',');
  const { allowed: targetTopics } = readTargetTopics(context.environment);
  const acls = aclsOf({ prefix: names.prefix, topicPrefix, installationId, regions, targetTopics });
  writeData(context, { acls }, () => acls.map((acl) => `${aclCommand(acl, brokers[0] ?? '')}\n`).join(''));
  return exitCodes.ok;
}
