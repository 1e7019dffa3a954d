import type { KafkaConnection } from '../client/connection.ts';

/** Removes the topics `<prefix>.…` and the groups of that prefix without members, of temporary installations. */
export async function removeTopics({ kafka, prefix }: { kafka: KafkaConnection; prefix: string }): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const beginning = `${prefix}.`;
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(beginning));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const groupIds = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(beginning));
    // A group whose last member was killed is not empty yet; it ends by itself.
    if (groupIds.length > 0) await admin.deleteGroups(groupIds).catch(() => undefined);
  } finally {
    await admin.disconnect();
  }
}
