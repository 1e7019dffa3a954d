import { describeMessageDelivery } from './message-delivery.conformance.ts';
import { describeMessageTopics } from './message-topics.conformance.ts';
import type { MessageBusSubject } from './message-bus-subject.ts';

export function describeMessageBus(name: string, makeSubject: () => Promise<MessageBusSubject>): void {
  describeMessageDelivery(name, makeSubject);
  describeMessageTopics(name, makeSubject);
}
