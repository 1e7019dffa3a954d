import type { RegisteredActionType, SecretName } from '../../../shared/ports/registry.ts';
import { secretPlace } from '../../../shared/runtime/installation/action-type-secrets.ts';
import type { EgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { SecretBoxError, type SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { checkActionType, type WantedActionType } from './check-action-type.ts';
import { changeRevised, revisedSince } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import type {
  ActionTypeChange,
  ActionTypeChanged,
  ActionTypeRemoved,
  ActionTypeStore,
} from './postgres/action-type-store.ts';

export interface ActionTypeChangerDeps {
  egress: { guard: Pick<EgressGuard, 'whyNot'> };
  actionTypes: ActionTypeStore;
  secretBox: SecretBox;
}

type WantedChange = (before: RegisteredActionType) => ActionTypeChange;

export interface ActionTypeChanger {
  /**
   * Returns the action type.
   * @throws {HttpProblem} 404 if it does not exist
   */
  require(name: string): Promise<RegisteredActionType>;
  /**
   * Changes an action type. After a concurrent change, reads the type again and retries.
   * @param expected revision that the caller expects; null permits any
   * @throws {HttpProblem} 404 for an unknown type, 412 for another revision, and the errors of `wanted`
   */
  change(name: string, expected: number | null, wanted: WantedChange): Promise<RegisteredActionType>;
  /**
   * Returns the change that a body requests, with encrypted secrets.
   * @throws {HttpProblem} 422 for an invalid body, 409 if this process cannot store secrets
   */
  changeFrom(body: unknown, before: RegisteredActionType): ActionTypeChange;
  /**
   * Encrypts a secret.
   * @throws {HttpProblem} 409 if this process cannot store secrets
   */
  seal(secret: SecretName, value: string, type: Pick<RegisteredActionType, 'name' | 'config'>): string;
}

export function createActionTypeChanger({ actionTypes, secretBox, egress }: ActionTypeChangerDeps): ActionTypeChanger {
  async function require(name: string): Promise<RegisteredActionType> {
    const type = await actionTypes.get(name);
    if (!type) throw notFound('action-type', name);
    return type;
  }

  const seal: ActionTypeChanger['seal'] = (secret, value, { name, config }) => {
    try {
      return secretBox.seal(value, secretPlace(name, secret, config)).sealed;
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error;
      throw new HttpProblem({ status: 409, code: 'no-secrets-key', detail: error.message });
    }
  };

  return {
    require,
    seal,
    change: async (name, expected, wanted) => {
      const changed = await changeRevised(expected, {
        read: () => require(name),
        change: (before) => actionTypes.change(name, wanted(before), before.revision),
        nameOf: (type) => type.name,
      });
      if (changed.kind === 'missing') throw changeRefusal(changed, name);
      return changed.type;
    },
    changeFrom: (body, before) => {
      const { config, enabled, secrets } = requireValid(checkActionType(body, before, egress.guard));
      const sealIfSet = (secret: SecretName, value: string | null) =>
        value === null ? null : seal(secret, value, { name: before.name, config });
      const { authorization, signing, receipts } = secrets;
      return {
        config,
        enabled,
        secrets: {
          ...(authorization !== undefined && { authorization: sealIfSet('authorization', authorization) }),
          ...(signing !== undefined && { signing: sealIfSet('signing', signing) }),
          ...(receipts !== undefined && { receipts: sealIfSet('receipts', receipts) }),
        },
      };
    },
  };
}

export function requireValid(checked: ReturnType<typeof checkActionType>): WantedActionType {
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

export function changeRefusal(
  refused: Exclude<ActionTypeChanged | ActionTypeRemoved, { kind: 'changed' | 'removed' }>,
  name: string,
): HttpProblem {
  switch (refused.kind) {
    case 'missing':
      return notFound('action-type', name);
    case 'outdated':
      return revisedSince(name, refused.type.revision);
    case 'used': {
      const more = refused.campaigns - refused.names.length;
      const named = `${refused.names.map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      const detail = `${refused.campaigns} campaigns have ${name} in their chain: ${named}; disable it instead`;
      return new HttpProblem({ status: 409, code: 'action-type-in-use', detail });
    }
  }
}
