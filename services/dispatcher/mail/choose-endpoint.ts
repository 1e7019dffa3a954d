import { mailScheme } from '../../../shared/contracts/notifications/notification-urls.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { CallbackEndpoint } from '../ports/callback-endpoint.ts';

export interface Ways {
  http: CallbackEndpoint;
  topics: CallbackEndpoint;
  /** Undefined if this process has no mail server configured. */
  mail: CallbackEndpoint | undefined;
}

/** Returns an endpoint that forwards each callback to HTTP, Kafka or e-mail, according to the callback's origin. */
export function chooseEndpoint({ http, topics, mail }: Ways): CallbackEndpoint {
  return {
    call: async (callback) => {
      if (topicOf(callback.origin) !== undefined) return await topics.call(callback);
      if (callback.origin !== mailScheme) return await http.call(callback);
      return mail ? await mail.call(callback) : { kind: 'unsent', cause: 'SMTP_URL is not set for this dispatcher' };
    },
  };
}
