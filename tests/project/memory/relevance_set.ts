/**
 * Memories of an invented project with questions about them, in our own words: some that they answer, and some of the
 * same kind that nothing answers. German and Spanish pairs show what other languages get.
 */

/** A memory, and a question that it answers in other words. */
export type Pair = readonly [memory: string, question: string];

export const ENGLISH: readonly Pair[] = [
  ["Access tokens live for 15 minutes, refresh tokens for 30 days", "How long does a login stay valid?"],
  [
    "Postgres stores the orders because MySQL was too slow for reports",
    "Which database do we keep orders in?",
  ],
  ["Releases go out on Thursdays at noon, never on Fridays", "On which day do we deploy?"],
  ["Photos are deleted thirty days after upload, as the lawyers asked", "How long are pictures kept?"],
  [
    "Redis loses its keys after a restart, so sessions live in the database",
    "Why are sessions not cached in memory?",
  ],
  ["All money amounts are integers in cents", "How do we represent prices?"],
  ["Every migration must be reversible and run before the new code starts", "Rules for changing the schema"],
  ["Feature flags are removed two weeks after the launch", "When do we clean up toggles?"],
  [
    "The invoice mailer was started twice and customers got two mails; lock it",
    "Why did customers receive duplicate emails?",
  ],
  ["End-to-end tests use Playwright against the staging environment", "What do we test the browser with?"],
  ["Errors are reported to Sentry without any personal data", "Where do exceptions go?"],
  ["The public API is versioned in the path: /v1/orders", "How do we version the REST interface?"],
  ["Background jobs run in a queue on RabbitMQ with three retries", "How often is a failed job tried again?"],
  ["The search index is rebuilt every night at two", "When is the index refreshed?"],
  ["Passwords are hashed with argon2id", "How are user passwords protected?"],
  ["Customers in Norway pay with Vipps, all others by card", "Which payment methods do we offer?"],
  ["Logs are kept for ninety days in cold storage", "Log retention"],
  ["The mobile app supports the last two major versions of iOS and Android", "Which phones do we support?"],
  ["Translations are managed in Weblate and synced daily", "Where do translators work?"],
  [
    "A pull request needs two approvals, one of them from the owning team",
    "How many reviewers are required for a merge?",
  ],
];

/** Questions of the same kind that none of these memories answers. */
export const UNANSWERED: readonly string[] = [
  "Who is on call this weekend?",
  "What colour is the company logo?",
  "How do we rotate the TLS certificates?",
  "Which office has the best coffee?",
  "What is the salary of the tech lead?",
  "How large may a file attachment be?",
  "Which Kubernetes ingress controller is installed?",
  "When does the marketing campaign start?",
  "How do we train the recommendation model?",
  "What is the name of the staging cluster?",
  "Which linter rules are disabled?",
  "How do I book a meeting room?",
  "What happens on a chargeback?",
  "Which GPU does the rendering farm use?",
  "Who owns the accessibility audit?",
  "What is our carbon footprint?",
  "How many stars does the hotel have?",
  "Which fonts are used in the newsletter?",
  "Does the scheduler understand daylight saving time?",
  "Where is the printer manual?",
];

export const GERMAN: readonly Pair[] = [
  ["Zugriffstoken laufen nach 15 Minuten ab", "Wie lange gilt ein Zugriffstoken?"],
  [
    "Bestellungen liegen in Postgres, weil MySQL zu langsam war",
    "Welche Datenbank speichert die Bestellungen?",
  ],
  ["Veröffentlicht wird donnerstags um zwölf, nie freitags", "Wann wird veröffentlicht?"],
  ["Fotos werden nach dreißig Tagen gelöscht", "Wann werden Fotos gelöscht?"],
  ["Redis verliert beim Neustart alle Schlüssel", "Was passiert mit Redis beim Neustart?"],
  ["Geldbeträge sind ganze Zahlen in Cent", "Wie speichern wir Geldbeträge?"],
  ["Jede Migration muss umkehrbar sein", "Muss eine Migration umkehrbar sein?"],
  [
    "Schalter für neue Funktionen verschwinden zwei Wochen nach dem Start",
    "Wann entfernen wir Schalter für Funktionen?",
  ],
  [
    "Rechnungen wurden doppelt verschickt, der Versand braucht eine Sperre",
    "Warum kamen Rechnungen doppelt?",
  ],
  ["Browsertests laufen mit Playwright in der Testumgebung", "Womit laufen die Browsertests?"],
  ["Fehler gehen ohne persönliche Daten an Sentry", "Wohin gehen Fehler?"],
  ["Die Schnittstelle trägt ihre Version im Pfad", "Wo steht die Version der Schnittstelle?"],
  ["Aufgaben im Hintergrund werden dreimal wiederholt", "Wie oft werden Aufgaben wiederholt?"],
  ["Der Suchindex wird jede Nacht um zwei neu gebaut", "Wann wird der Suchindex gebaut?"],
  ["Kennwörter werden mit argon2id gehasht", "Wie werden Kennwörter gehasht?"],
  ["Kunden in Norwegen zahlen mit Vipps", "Womit zahlen Kunden in Norwegen?"],
  ["Protokolle bleiben neunzig Tage im Archiv", "Wie lange bleiben Protokolle im Archiv?"],
  ["Die App unterstützt die letzten zwei Versionen von iOS", "Welche Versionen von iOS unterstützt die App?"],
  ["Übersetzungen liegen in Weblate", "Wo liegen die Übersetzungen?"],
  ["Eine Änderung braucht zwei Freigaben", "Wie viele Freigaben braucht eine Änderung?"],
  ["Der Warenkorb verfällt nach sieben Tagen", "Wann verfällt der Warenkorb?"],
  ["Gutscheine gelten nur einmal pro Konto", "Wie oft gelten Gutscheine?"],
  ["Das Lager meldet Bestände alle fünf Minuten", "Wie oft meldet das Lager Bestände?"],
  ["Bilder werden auf 2000 Pixel verkleinert", "Auf welche Größe werden Bilder verkleinert?"],
  ["Die Suche ignoriert Akzente und Groß- und Kleinschreibung", "Beachtet die Suche Akzente?"],
  ["Sicherungen liegen verschlüsselt in einem zweiten Rechenzentrum", "Wo liegen die Sicherungen?"],
  ["Der Newsletter braucht eine bestätigte Anmeldung", "Braucht der Newsletter eine Bestätigung?"],
  ["Testdaten enthalten keine echten Namen", "Dürfen Testdaten echte Namen enthalten?"],
  ["Die Lieferzeit berechnet ein eigener Dienst", "Wer berechnet die Lieferzeit?"],
  ["Rabatte werden vor der Steuer abgezogen", "Wann werden Rabatte abgezogen?"],
];

export const SPANISH: readonly Pair[] = [
  ["Los tokens de acceso caducan a los 15 minutos", "¿Cuándo caducan los tokens de acceso?"],
  ["Los pedidos están en Postgres porque MySQL era lento", "¿En qué base están los pedidos?"],
  ["Publicamos los jueves a mediodía, nunca los viernes", "¿Qué día publicamos?"],
  ["Las fotos se borran a los treinta días", "¿Cuándo se borran las fotos?"],
  ["Redis pierde sus claves al reiniciar", "¿Qué pierde Redis al reiniciar?"],
  ["Los importes son enteros en céntimos", "¿Cómo guardamos los importes?"],
  ["Cada migración debe ser reversible", "¿Debe ser reversible una migración?"],
  [
    "Los interruptores se eliminan dos semanas después del lanzamiento",
    "¿Cuándo se eliminan los interruptores?",
  ],
  [
    "Las facturas se enviaron dos veces; el envío necesita un bloqueo",
    "¿Por qué se enviaron dos veces las facturas?",
  ],
  ["Las pruebas del navegador usan Playwright", "¿Qué usan las pruebas del navegador?"],
  ["Los errores llegan a Sentry sin datos personales", "¿Dónde llegan los errores?"],
  ["La versión de la interfaz va en la ruta", "¿Dónde va la versión de la interfaz?"],
  ["Las tareas en segundo plano se reintentan tres veces", "¿Cuántas veces se reintentan las tareas?"],
  ["El índice de búsqueda se reconstruye cada noche", "¿Cuándo se reconstruye el índice?"],
  ["Las contraseñas usan argon2id", "¿Qué usan las contraseñas?"],
  ["Los clientes de Noruega pagan con Vipps", "¿Cómo pagan los clientes de Noruega?"],
  ["Los registros se guardan noventa días", "¿Cuántos días se guardan los registros?"],
  ["La aplicación admite las dos últimas versiones de iOS", "¿Qué versiones de iOS admite la aplicación?"],
  ["Las traducciones están en Weblate", "¿Dónde están las traducciones?"],
  ["Un cambio necesita dos aprobaciones", "¿Cuántas aprobaciones necesita un cambio?"],
  ["La cesta caduca a los siete días", "¿Cuándo caduca la cesta?"],
  ["Los cupones valen una vez por cuenta", "¿Cuántas veces valen los cupones?"],
  ["El almacén informa de existencias cada cinco minutos", "¿Cada cuánto informa el almacén?"],
  ["Las imágenes se reducen a 2000 píxeles", "¿A cuántos píxeles se reducen las imágenes?"],
  ["La búsqueda ignora los acentos", "¿La búsqueda ignora acentos?"],
  ["Las copias de seguridad están cifradas en otro centro de datos", "¿Dónde están las copias de seguridad?"],
  ["El boletín exige una suscripción confirmada", "¿Qué exige el boletín?"],
  ["Los datos de prueba no contienen nombres reales", "¿Contienen nombres reales los datos de prueba?"],
  ["Un servicio propio calcula el plazo de entrega", "¿Quién calcula el plazo de entrega?"],
  ["Los descuentos se restan antes del impuesto", "¿Cuándo se restan los descuentos?"],
];
