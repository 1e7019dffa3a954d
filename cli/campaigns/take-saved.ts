import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getAudience } from '../../sdk/generated/sdk.gen.ts';
import type { CampaignDefinitionInput } from '../../sdk/generated/types.gen.ts';
import { UsageError } from '../frame/usage-error.ts';

type Audience = CampaignDefinitionInput['audience'];

/**
 * Returns the body with the current sources of the saved audience. Returns the body unchanged if `savedAudience` is
 * undefined.
 */
export async function withSaved<Body extends { audience?: Audience | null }>(
  body: Body,
  savedAudience: string | undefined,
  client: Client,
): Promise<Body> {
  if (savedAudience === undefined) return body;
  const { data } = await getAudience({ client, path: { id: savedAudience } });
  if (data.kind !== 'saved') throw new UsageError(`${savedAudience} is no saved audience`);
  const { include: _, ...holdOut } = body.audience ?? { include: [] };
  const audience = { ...data.audience, ...holdOut };
  return { ...body, audience, savedAudience: { id: data.id, revision: data.revision } };
}
