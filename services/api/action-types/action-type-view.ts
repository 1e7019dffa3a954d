import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import { titleFromName } from '../../../shared/domain/endpoint/action-title.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import type { ActionType } from './action-types.contract.ts';

export function actionTypeView(type: RegisteredActionType, countries: Catalogue['countries']): ActionType {
  const { name, revision, enabled, origin, config, secrets, createdAt, updatedAt } = type;
  const { authorization, signing, receipts } = secrets;
  return {
    name,
    revision,
    enabled,
    origin,
    ...config,
    title: config.title ?? titleFromName(name),
    secrets: {
      ...(authorization && { authorization: { changedAt: authorization.changedAt.toISOString() } }),
      ...(signing && { signing: { changedAt: signing.changedAt.toISOString() } }),
      ...(receipts && { receipts: { changedAt: receipts.changedAt.toISOString() } }),
    },
    countries: countries ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `/v1/action-types/${name}` },
  };
}
