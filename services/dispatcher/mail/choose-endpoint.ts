import { mailScheme } from '../../../shared/contracts/webhooks/notice-urls.ts';
import type { CallbackEndpoint } from '../ports/callback-endpoint.ts';

/** Calls and e-mails, each its own way. @param mail undefined: this process was not told of a mail server */
export function chooseEndpoint(http: CallbackEndpoint, mail: CallbackEndpoint | undefined): CallbackEndpoint {
  return {
    call: async (callback) => {
      if (callback.origin !== mailScheme) return await http.call(callback);
      return mail ? await mail.call(callback) : { kind: 'unsent', cause: 'SMTP_URL is not set for this dispatcher' };
    },
  };
}
