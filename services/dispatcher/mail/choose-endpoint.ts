import { mailScheme } from '../../../shared/contracts/webhooks/notice-urls.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { CallbackEndpoint } from '../ports/callback-endpoint.ts';

export interface Ways {
  http: CallbackEndpoint;
  topics: CallbackEndpoint;
  /** Undefined: this process was not told of a mail server. */
  mail: CallbackEndpoint | undefined;
}

/** Calls, messages to topics and e-mails, each its own way. */
export function chooseEndpoint({ http, topics, mail }: Ways): CallbackEndpoint {
  return {
    call: async (callback) => {
      if (topicOf(callback.origin) !== undefined) return await topics.call(callback);
      if (callback.origin !== mailScheme) return await http.call(callback);
      return mail ? await mail.call(callback) : { kind: 'unsent', cause: 'SMTP_URL is not set for this dispatcher' };
    },
  };
}
