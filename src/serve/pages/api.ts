/** For people who write programs: every address of the API, as OpenAPI describes it. */
import { markup } from "../../base/markup.ts";
import { asText, asValues } from "../../base/values.ts";
import { API_PATH, describeApi } from "../api/mod.ts";
import { head, quietLine, rowList, section, tag, type View } from "./site.ts";

export async function apiPage(): Promise<View> {
  const { paths } = await describeApi();
  const rows = Object.entries(asValues(paths)).flatMap(([path, methods]) =>
    Object.entries(asValues(methods)).map(([method, one]) => {
      const { summary, parameters = [], requestBody } = asValues(one);
      const body = asValues(
        asValues(asValues(asValues(requestBody)["content"])["application/json"])["schema"],
      );
      const isQuery = (param: unknown) => asValues(param)["in"] === "query";
      const names = [
        ...(parameters as readonly unknown[]).filter(isQuery).map((param) => asText(asValues(param)["name"])),
        ...Object.keys(asValues(body["properties"])),
      ];
      return markup`${
        head(
          markup`<code>${API_PATH}${path}</code>`,
          tag(method.toUpperCase(), method === "post" ? "warn" : "good"),
        )
      }
<p>${asText(summary)}</p>${names.length > 0 && quietLine(names.join(", "))}`;
    })
  );
  return {
    title: "API",
    tab: "api",
    body: [
      markup`<h1>API</h1>
<p>Every operation as plain JSON, with the token that opens this page: <code>Authorization: Bearer TOKEN</code>.
What reads takes its parameters in the address, what changes something a JSON object.
<code>?project=NAME</code> selects a project. <a href="${API_PATH}/openapi.json">OpenAPI 3.1</a></p>`,
      section("Addresses", rowList(rows)),
    ],
  };
}
