import type { ActionType } from '#client/types.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { toggledJson, typedParams, type ParamsForm } from '../../../parts/campaign/params-form.ts';
import { PreviewButton } from '../../../parts/campaign/preview-button.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { fieldsOf } from '../../../parts/forms/schema-fields.ts';

interface ParamsToolsProps {
  action: string;
  params: ParamsForm;
  type: ActionType | undefined;
  countries: readonly string[];
  onChange: (params: ParamsForm) => void;
}

/** Buttons that preview parameters, and that switch between their fields and JSON. */
export function ParamsTools({ action, params, type, countries, onChange }: ParamsToolsProps) {
  const isOperator = useRefusal('operator') === undefined;
  const previewRefusal = useRefusal('manager');
  const toggled = toggledJson(params, type?.paramsSchema);
  return (
    <>
      <PreviewButton
        action={action}
        params={typedParams(params, action, type ? [type] : []).value}
        countries={countries}
        refusal={previewRefusal}
      />
      {(isOperator || params.asJson) && fieldsOf(type?.paramsSchema) !== null && (
        <Button
          small
          kind="ghost"
          aria-pressed={params.asJson}
          {...(toggled === null ? { refusal: 'The fields cannot express this JSON' } : {})}
          onClick={() => toggled && onChange(toggled)}
        >
          JSON
        </Button>
      )}
    </>
  );
}
