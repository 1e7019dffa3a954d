import { callsTopic } from '../../../shared/domain/endpoint/call-topics.ts';
import { dispatcherGroup, workerGroup } from '../../../shared/runtime/installation/installation-bus.ts';

/** Permissions of one principal on topics or a group. */
export interface Acl {
  /** User name without `User:`. */
  principal: string;
  resource: 'topic' | 'group';
  name: string;
  /** Kind of the match: `prefixed` matches all names that begin with the given name. */
  pattern: 'literal' | 'prefixed';
  operations: readonly ('Read' | 'Write' | 'Describe' | 'Create' | 'Alter')[];
}

export interface AclNames {
  /** Prefix of the principals' names, as in `muster-api`. */
  prefix: string;
  topicPrefix: string;
  installationId: string;
  regions: readonly string[];
  /** Topics of other owners to which jobs are written: `DISPATCHER_TARGET_TOPICS`. */
  targetTopics: readonly string[];
}

/** Returns the minimal Kafka permissions of each service, `muster topics` and `muster doctor`. */
export function aclsOf({ prefix, topicPrefix, installationId, regions, targetTopics }: AclNames): Acl[] {
  const workers = workerGroup(topicPrefix, installationId);
  const all = (who: string, ...operations: Acl['operations']): Acl => ({
    principal: `${prefix}-${who}`,
    resource: 'topic',
    name: `${topicPrefix}.`,
    pattern: 'prefixed',
    operations,
  });
  const one = (who: string, resource: Acl['resource'], name: string, ...operations: Acl['operations']): Acl => ({
    principal: `${prefix}-${who}`,
    resource,
    name,
    pattern: 'literal',
    operations,
  });
  return [
    all('api', 'Describe'),
    one('api', 'group', workers, 'Describe'),
    all('trigger', 'Write', 'Describe'),
    one('trigger', 'group', workers, 'Describe'),
    all('worker', 'Read', 'Write', 'Describe'),
    one('worker', 'group', workers, 'Read'),
    ...regions.flatMap((region) => {
      const [topic, group] = [callsTopic(topicPrefix, region), dispatcherGroup(topicPrefix, region, installationId)];
      return [
        one('scheduler', 'topic', topic, 'Write', 'Describe'),
        one('scheduler', 'group', group, 'Describe'),
        one('dispatcher', 'topic', topic, 'Read', 'Describe'),
        one('dispatcher', 'group', group, 'Read'),
      ];
    }),
    ...targetTopics.map((each): Acl => {
      const name = each.replace(/\*$/, '');
      const pattern = name === each ? 'literal' : 'prefixed';
      const operations = ['Write', 'Describe'] as const;
      return { principal: `${prefix}-dispatcher`, resource: 'topic', name, pattern, operations };
    }),
    all('topics', 'Create', 'Alter', 'Describe'),
    all('doctor', 'Describe'),
  ];
}

export function aclCommand({ principal, resource, name, pattern, operations }: Acl, broker: string): string {
  const allowed = operations.map((operation) => `--operation ${operation}`).join(' ');
  return (
    `kafka-acls.sh --bootstrap-server ${broker} --add --allow-principal 'User:${principal}' ${allowed} ` +
    `--${resource} '${name}' --resource-pattern-type ${pattern}`
  );
}
