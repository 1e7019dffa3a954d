import { definePlugin, defineRule, type Comment, type Ranged } from '@oxlint/plugins';
import { roles } from '../../shared/domain/roles.ts';

/**
 * What a comment speaks of is named: a process, a row, a message. "Nobody" and "whoever" are people. And it fits the
 * width that Prettier keeps for code.
 */
const plainComments = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      person: "'{{word}}' is a person: name the process, row or message",
      wide: 'a line of {{length}} columns: comments wrap at 120',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const check = ({ loc, value }: Comment) => {
      // What stands in backquotes is a name, such as a role.
      const word = /(?<!`)\b(nobody|somebody|whoever|anybody)\b(?!`)/i.exec(value)?.[1];
      if (word !== undefined) context.report({ loc, messageId: 'person', data: { word } });
      for (const text of sourceCode.lines.slice(loc.start.line - 1, loc.end.line)) {
        const { length } = text;
        // A table is as wide as it is, and a directive has to stand on one line.
        if (length > 120 && !/^\s*\* \||oxlint-disable/.test(text))
          context.report({ loc, messageId: 'wide', data: { length: String(length) } });
      }
    };
    return { Program: () => sourceCode.getAllComments().forEach(check) };
  },
});

const fragment = /^\*[\s*]*(of|what|who|whom|whose|that|where|whether|how|as|so|which)\b/i;

/** A doc comment starts with what the thing is or does: a noun, or a verb in the third person. */
const commentSubjects = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { fragment: "'{{word}}' begins a fragment: start with the noun or the verb that names the thing" },
  },
  create(context) {
    const check = ({ type, loc, value }: Comment) => {
      const word = type === 'Block' ? fragment.exec(value)?.[1] : undefined;
      if (word !== undefined) context.report({ loc, messageId: 'fragment', data: { word } });
    };
    return { Program: () => context.sourceCode.getAllComments().forEach(check) };
  },
});

/** `$5` and up in a text: they are miscounted by then. */
const namedParameters = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      counted: 'A statement with more than four parameters names them: shared/postgres/connection/statement.ts.',
    },
  },
  create(context) {
    const check = (node: Ranged, text: string) => {
      if (/\$([5-9]|[1-9][0-9])/.test(text)) context.report({ node, messageId: 'counted' });
    };
    return {
      TemplateElement: (node) => check(node, node.value.raw),
      Literal: (node) => {
        if (typeof node.value === 'string') check(node, node.value);
      },
    };
  },
});

/** Prettier leaves texts as they are, also statements of many lines. */
const narrowStatements = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { wide: 'a line of {{length}} columns: statements wrap at 120' },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      TemplateLiteral: (node) => {
        const { start, end } = node.loc;
        const lines = sourceCode.lines.slice(start.line - 1, end.line);
        if (lines.length === 1 || !/\b(select|insert into|update|delete from|create table)\b/.test(lines.join(' ')))
          return;
        for (const [index, { length }] of lines.entries()) {
          const loc = {
            start: { line: start.line + index, column: 0 },
            end: { line: start.line + index, column: length },
          };
          if (length > 120) context.report({ loc, messageId: 'wide', data: { length: String(length) } });
        }
      },
    };
  },
});

/** Functions that judge roles and scopes; services/api/access names them `rights`, by what they allow. */
const judges = ['mayActAs', 'isWhole', 'requireRole'];
const roleNames: readonly string[] = roles;
const isRoleName = (value: unknown) => typeof value === 'string' && roleNames.includes(value);

/** Roles are compared in services/api/access alone. A check elsewhere compares the role and forgets the scope. */
const rightsInAccess = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      judge: "'{{name}}' judges a caller: services/api/access does so, by a function of rights.ts or scopes.ts",
      compared: 'a role is compared: services/api/access does so, by a function of rights.ts or scopes.ts',
    },
  },
  create(context) {
    return {
      ImportSpecifier: (node) => {
        const { imported } = node;
        const name = imported.type === 'Identifier' ? imported.name : imported.value;
        if (judges.includes(name)) context.report({ node, messageId: 'judge', data: { name } });
      },
      BinaryExpression: (node) => {
        const text = [node.left, node.right].find((side) => side.type === 'Literal' && isRoleName(side.value));
        if (text !== undefined) context.report({ node, messageId: 'compared' });
      },
    };
  },
});

/** `...{ a, b }` in an object literal, which only keeps Prettier from giving each property a line of its own. */
const noSpreadLiterals = defineRule({
  meta: {
    type: 'suggestion',
    fixable: 'code',
    schema: [],
    messages: { spread: 'an object literal is spread into another one: write its properties there' },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      SpreadElement: (node) => {
        const { argument, parent } = node;
        if (argument.type !== 'ObjectExpression' || parent.type !== 'ObjectExpression') return;
        const inner = sourceCode.getText(argument).slice(1, -1).trim().replace(/,$/, '');
        const isEmpty = argument.properties.length === 0;
        context.report({
          node,
          messageId: 'spread',
          fix: (fixer) => (isEmpty ? null : fixer.replaceText(node, inner)),
        });
      },
    };
  },
});

export default definePlugin({
  meta: { name: 'house' },
  rules: {
    'plain-comments': plainComments,
    'comment-subjects': commentSubjects,
    'named-parameters': namedParameters,
    'narrow-statements': narrowStatements,
    'rights-in-access': rightsInAccess,
    'no-spread-literals': noSpreadLiterals,
  },
});
