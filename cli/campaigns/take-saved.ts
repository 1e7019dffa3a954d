import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getSavedAudience } from '../../sdk/generated/sdk.gen.ts';
import type { CampaignDefinitionInput } from '../../sdk/generated/types.gen.ts';

type Audience = CampaignDefinitionInput['audience'];

/** Returns the body with the current sources of a saved audience, if one is named. */
export async function withSaved<Body extends { audience?: Audience | null }>(
  body: Body,
  savedAudience: string | undefined,
  client: Client,
): Promise<Body> {
  if (savedAudience === undefined) return body;
  const { data } = await getSavedAudience({ client, path: { id: savedAudience } });
  const { include: _, ...holdOut } = body.audience ?? { include: [] };
  const audience = { ...data.audience, ...holdOut };
  return { ...body, audience, savedAudience: { id: data.id, revision: data.revision } };
}
