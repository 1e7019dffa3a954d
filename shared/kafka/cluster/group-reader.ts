import { AssignerProtocol, type Admin } from 'kafkajs';
import type { GroupReader, PartitionTraffic } from '../../ports/group-reader.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createOffsetReader } from './offset-reader.ts';

export interface GroupReaderDeps {
  kafka: KafkaConnection;
  groupId: string;
  logger: Logger;
}

/** Creates a reader of a group's members and positions. It connects at the first call. */
export function createGroupReader({
  kafka,
  groupId,
  logger,
}: GroupReaderDeps): GroupReader & { close(): Promise<void> } {
  const offsets = createOffsetReader({ kafka, groupId });
  let admin: Promise<Admin> | undefined;

  async function open(): Promise<Admin> {
    const opened = kafka.admin();
    await opened.connect();
    return opened;
  }

  async function connected(): Promise<Admin> {
    const opening = (admin ??= open());
    return await opening.catch((error: unknown) => {
      if (admin === opening) admin = undefined;
      throw error;
    });
  }

  /** Returns the client ids by `topic/partition`. */
  async function members(): Promise<Map<string, string>> {
    const { groups } = await (await connected()).describeGroups([groupId]);
    const owners = new Map<string, string>();
    for (const { clientId, memberAssignment } of groups.flatMap((group) => group.members)) {
      for (const [topic, partitions] of Object.entries(assignmentIn(memberAssignment))) {
        for (const partition of partitions) owners.set(`${topic}/${partition}`, clientId);
      }
    }
    return owners;
  }

  return {
    read: async (topics) => {
      try {
        const [owners, read] = await Promise.all([members(), offsets.read(topics)]);
        return new Map(
          Array.from(read, ([topic, partitions]): [string, PartitionTraffic[]] => [
            topic,
            partitions.map(({ partition, end, committed }) => ({
              partition,
              unhandled: Math.max(0, end - committed),
              member: owners.get(`${topic}/${partition}`) ?? null,
            })),
          ]),
        );
      } catch (error) {
        logger.debug({ err: error, groupId }, 'could not read the group');
        return null;
      }
    },
    close: async () => {
      const opened = admin;
      admin = undefined;
      await Promise.all([offsets.close(), opened?.then((each) => each.disconnect()).catch(() => undefined)]);
    },
  };
}

/** Returns an empty assignment while the group reassigns its partitions. */
function assignmentIn(bytes: Buffer): Record<string, number[]> {
  if (bytes.length === 0) return {};
  return AssignerProtocol.MemberAssignment.decode(bytes)?.assignment ?? {};
}
