/**
 * Whatever can be asked of this program, as data: THE table of operations, and the same as commands.
 */
export {
  actionNamed,
  actionsOf,
  type Command,
  COMMAND_NAMES,
  type CommandName,
  commandNeeds,
  COMMANDS,
  flagOf,
  type Invocation,
  isCommand,
  type Option,
  type OptionName,
  OPTIONS,
  optionsOf,
} from "./command_line.ts";
export {
  type ArgsOf,
  flag,
  GROUPS,
  json,
  list,
  number,
  type Operation,
  type Param,
  type Params,
  type Shape,
  text,
} from "./operation.ts";
export {
  type Arguments,
  changes,
  type OperationName,
  operationNamed,
  OPERATIONS,
  paramsOf,
  WORK_OPERATIONS,
  type WorkOperation,
} from "./table.ts";
