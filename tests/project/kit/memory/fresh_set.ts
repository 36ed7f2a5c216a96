/**
 * Memories and questions of projects that nothing was tuned with: a library, a bakery's deliveries, an airport, a solar
 * park. Written before any of them was scored. They only measure: no constant and no word list is to be changed because
 * of what they show; then they would have to be replaced.
 */
import type { Pair } from "./relevance_set.ts";

export const FRESH: readonly Pair[] = [
  [
    "Books are due after four weeks and can be renewed twice unless somebody reserved them",
    "How many times may a reader extend a loan?",
  ],
  ["Overdue fees stop at ten euros per item", "What is the maximum late fee?"],
  [
    "The catalogue imports MARC records from the national library every night",
    "Where do our book records come from?",
  ],
  [
    "Dough orders close at 18:00 the day before delivery",
    "Until what time can a shop order bread for tomorrow?",
  ],
  ["Vans are routed with OSRM; Google Maps was too expensive", "Why don't we use Google for routing?"],
  [
    "A crate without a QR code must be photographed by the driver",
    "What does the driver do if a box has no code?",
  ],
  [
    "Gluten-free products are baked on Tuesdays only, in the small oven",
    "On which day do we bake gluten-free?",
  ],
  ["Baggage messages follow IATA type B and arrive over MQ", "In which format do luggage messages come in?"],
  [
    "A bag that misses its flight is rebooked automatically after twenty minutes",
    "What happens to suitcases left behind?",
  ],
  ["Gate changes are pushed to the displays within five seconds", "How fast do the screens show a new gate?"],
  [
    "Inverters are polled over Modbus TCP every thirty seconds",
    "Which protocol do we use to read the inverters?",
  ],
  [
    "Production below 70% of the forecast raises a ticket for the field team",
    "When does a technician get alerted about low output?",
  ],
  ["Weather forecasts are bought from Meteomatics and cached for one hour", "Who provides the weather data?"],
  ["Readers under fourteen need the signature of a parent", "What do children need to get a library card?"],
  [
    "We dropped Elasticsearch: the catalogue fits into SQLite full-text search",
    "Why is there no Elasticsearch any more?",
  ],
  ["Receipts are printed in the van with a Bluetooth printer", "How does the customer get a receipt?"],
  [
    "Staff accounts are provisioned through SCIM from the city's directory",
    "How are employee logins created?",
  ],
  ["Panels are cleaned in March and September", "When do we wash the modules?"],
  [
    "The conveyor simulator must run before each release to production",
    "What has to be done before we release?",
  ],
  [
    "All timestamps are stored in UTC and shown in the airport's time zone",
    "In which time zone do we save times?",
  ],
  ["Loan histories are anonymised after the return, for privacy", "Do we keep who borrowed what?"],
  [
    "The baker's tablet works offline and syncs when it is back in the office",
    "Does the tablet need a network connection?",
  ],
  ["Secrets live in Vault; nothing sensitive may be in the repository", "Where do we put credentials?"],
  ["Feature branches are squashed before they are merged", "What is our merge strategy?"],
  [
    "The load balancer drains connections for sixty seconds during a deployment",
    "How long are connections drained?",
  ],
  ["Pallets heavier than 800 kg need two people", "What is the weight limit for one person?"],
  ["Unit tests must finish in under two minutes on a laptop", "How long may the unit tests take?"],
  [
    "The reservation queue is first come, first served, except for book clubs",
    "Who gets a reserved book first?",
  ],
  [
    "Kiosk software is written in Kotlin because the old C++ could not be tested",
    "Which language is the kiosk written in?",
  ],
  [
    "In July a misconfigured cron job deleted the index; backups are tested monthly since then",
    "Why do we test backups every month?",
  ],
  [
    "Grid operators may curtail us to zero within ten seconds",
    "How quickly must the plant shut down on request?",
  ],
  [
    "Customer addresses are geocoded once and never sent to third parties",
    "Do we share addresses with others?",
  ],
];

export const FRESH_UNANSWERED: readonly string[] = [
  "What is the phone number of the reception?",
  "Which yoga classes are offered on Mondays?",
  "How do we encrypt the hard disks of laptops?",
  "Who painted the mural in the lobby?",
  "What is the interest rate of the loan from the bank?",
  "Which microphone do we use for recordings?",
  "How many vacation days do part-time employees have?",
  "What is the GraphQL schema for comments?",
  "Who won the hackathon last year?",
  "How are A/B tests evaluated?",
  "Which colour palette is used for charts?",
  "Is there a shuttle to the train station?",
  "What is the retry policy of the payment gateway?",
  "How do we handle tickets in the old support system?",
  "Where can I park my bike?",
  "Which version of Node is required?",
  "What is the password of the guest network?",
  "Who maintains the iOS app?",
  "How do we onboard freelancers?",
  "What is the warranty of the coffee grinder?",
  "Which regions does the CDN cover?",
  "How many users signed up in May?",
  "What should the error page look like?",
  "When is the next board meeting?",
  "How do we calculate shipping to Canada?",
  "Which translation agency do we work with?",
  "What is the maximum size of a thumbnail?",
  "Do we support single sign-on with Okta?",
  "How is the monorepo structured?",
  "Who signs the invoices over ten thousand?",
  "What does the acronym RACI stand for?",
  "Which insurance covers our drones?",
];

export const FRESH_GERMAN: readonly Pair[] = [
  ["Bücher dürfen zweimal um vier Wochen verlängert werden", "Wie oft darf ein Buch verlängert werden?"],
  ["Mahngebühren sind auf zehn Euro je Medium begrenzt", "Wie hoch sind die Mahngebühren höchstens?"],
  ["Der Katalog wird jede Nacht aus der Nationalbibliothek übernommen", "Woher kommt der Katalog?"],
  [
    "Bestellungen für Teig müssen bis 18 Uhr am Vortag eingehen",
    "Bis wann nehmen wir Bestellungen für Teig an?",
  ],
  [
    "Die Lieferwagen werden mit OSRM geplant, weil Google zu teuer war",
    "Warum planen wir die Lieferwagen nicht mit Google?",
  ],
  [
    "Glutenfreie Brote werden nur dienstags im kleinen Ofen gebacken",
    "An welchem Tag backen wir glutenfrei?",
  ],
  [
    "Koffer, die ihren Flug verpassen, werden nach zwanzig Minuten umgebucht",
    "Was geschieht mit Koffern, die den Flug verpassen?",
  ],
  [
    "Änderungen des Gates erscheinen in fünf Sekunden auf den Anzeigen",
    "Wie schnell zeigen die Anzeigen ein neues Gate?",
  ],
  [
    "Die Wechselrichter werden alle dreißig Sekunden über Modbus abgefragt",
    "Über welches Protokoll fragen wir die Wechselrichter ab?",
  ],
  ["Wetterdaten kaufen wir bei Meteomatics und behalten sie eine Stunde", "Von wem stammen die Wetterdaten?"],
  ["Kinder unter vierzehn brauchen die Unterschrift der Eltern", "Was brauchen Kinder für einen Ausweis?"],
  [
    "Quittungen druckt der Fahrer im Wagen mit einem Bluetooth-Drucker",
    "Wie bekommt der Kunde seine Quittung?",
  ],
  ["Die Module werden im März und im September gereinigt", "Wann reinigen wir die Module?"],
  [
    "Alle Zeiten speichern wir in UTC und zeigen sie in der Zeitzone des Flughafens",
    "In welcher Zeitzone werden Zeiten gespeichert?",
  ],
  ["Ausleihen werden nach der Rückgabe anonymisiert", "Speichern wir, wer was ausgeliehen hat?"],
  ["Das Tablet der Bäcker arbeitet ohne Netz und gleicht sich im Büro ab", "Braucht das Tablet ein Netz?"],
  ["Geheimnisse liegen in Vault und niemals im Repository", "Wo liegen Geheimnisse?"],
  ["Paletten über 800 kg werden zu zweit bewegt", "Ab welchem Gewicht braucht eine Palette zwei Leute?"],
  [
    "Komponententests müssen auf einem Laptop unter zwei Minuten bleiben",
    "Wie lange dürfen die Tests dauern?",
  ],
  [
    "Im Juli löschte ein falsch eingestellter Cron-Job den Index; seitdem prüfen wir Sicherungen monatlich",
    "Warum prüfen wir die Sicherungen jeden Monat?",
  ],
  ["Der Netzbetreiber darf uns in zehn Sekunden auf null regeln", "Wie schnell muss die Anlage abregeln?"],
  ["Adressen der Kunden gehen nie an Dritte", "Geben wir Adressen weiter?"],
  [
    "Die Automaten sind in Kotlin geschrieben, weil sich das alte C++ nicht testen ließ",
    "In welcher Sprache sind die Automaten geschrieben?",
  ],
  ["Vor jeder Freigabe muss der Simulator der Förderbänder laufen", "Was muss vor einer Freigabe laufen?"],
  ["Zweige werden vor dem Zusammenführen zu einem Commit gequetscht", "Wie führen wir Zweige zusammen?"],
  [
    "Beim Ausrollen hält der Verteiler Verbindungen noch sechzig Sekunden",
    "Wie lange werden Verbindungen beim Ausrollen gehalten?",
  ],
  ["Kisten ohne QR-Code fotografiert der Fahrer", "Was tut der Fahrer bei einer Kiste ohne Code?"],
  [
    "Konten der Angestellten kommen über SCIM aus dem Verzeichnis der Stadt",
    "Woher kommen die Konten der Angestellten?",
  ],
  [
    "Liegt der Ertrag unter 70 % der Prognose, bekommt der Außendienst ein Ticket",
    "Wann bekommt der Außendienst ein Ticket?",
  ],
  [
    "Vorbestellungen gelten der Reihe nach, außer für Lesekreise",
    "In welcher Reihenfolge gelten Vorbestellungen?",
  ],
];

export const FRESH_GERMAN_UNANSWERED: readonly string[] = [
  "Wie lautet die Telefonnummer des Empfangs?",
  "Wer hat das Wandbild in der Eingangshalle gemalt?",
  "Welche Farben verwenden wir in den Diagrammen?",
  "Wie viele Urlaubstage haben Teilzeitkräfte?",
  "Wo kann ich mein Fahrrad abstellen?",
  "Welche Version von Node wird vorausgesetzt?",
  "Wann ist die nächste Sitzung des Vorstands?",
  "Wie berechnen wir den Versand nach Kanada?",
  "Wer unterschreibt Rechnungen über zehntausend Euro?",
  "Wie groß darf ein Vorschaubild sein?",
  "Gibt es einen Bus zum Bahnhof?",
  "Was ist das Kennwort des Gastnetzes?",
  "Wie werden neue Freiberufler eingearbeitet?",
  "Mit welcher Agentur übersetzen wir die Webseite?",
  "Wer hat im letzten Jahr den Wettbewerb gewonnen?",
  "Welches Mikrofon benutzen wir für die Aufnahmen?",
  "Wie ist das Schema für Kommentare aufgebaut?",
  "Was soll auf der Fehlerseite stehen?",
  "Wie verschlüsseln wir die Festplatten der Rechner?",
  "Welche Versicherung haftet für die Drohnen?",
];

export const FRESH_SPANISH: readonly Pair[] = [
  ["Los libros se pueden renovar dos veces por cuatro semanas", "¿Cuántas veces se puede renovar un libro?"],
  ["Las multas por retraso no pasan de diez euros por ejemplar", "¿Cuál es la multa máxima por retraso?"],
  ["El catálogo se importa cada noche de la biblioteca nacional", "¿De dónde viene el catálogo?"],
  [
    "Los pedidos de masa se cierran a las 18:00 del día anterior",
    "¿Hasta qué hora aceptamos pedidos de masa?",
  ],
  [
    "Las rutas de las furgonetas se calculan con OSRM porque Google era demasiado caro",
    "¿Por qué no calculamos las rutas con Google?",
  ],
  ["El pan sin gluten se hornea solo los martes en el horno pequeño", "¿Qué día horneamos sin gluten?"],
  [
    "Las maletas que pierden su vuelo se reasignan a los veinte minutos",
    "¿Qué pasa con las maletas que pierden el vuelo?",
  ],
  [
    "Los cambios de puerta aparecen en las pantallas en cinco segundos",
    "¿Cuánto tardan las pantallas en mostrar otra puerta?",
  ],
  [
    "Los inversores se consultan por Modbus cada treinta segundos",
    "¿Con qué protocolo consultamos los inversores?",
  ],
  [
    "Los datos del tiempo se compran a Meteomatics y se guardan una hora",
    "¿Quién nos vende los datos del tiempo?",
  ],
  [
    "Los menores de catorce años necesitan la firma de sus padres",
    "¿Qué necesitan los menores para el carné?",
  ],
  [
    "El conductor imprime los recibos en la furgoneta con una impresora Bluetooth",
    "¿Cómo recibe el cliente su recibo?",
  ],
  ["Los paneles se limpian en marzo y en septiembre", "¿Cuándo limpiamos los paneles?"],
  [
    "Todas las horas se guardan en UTC y se muestran en la zona del aeropuerto",
    "¿En qué zona horaria se guardan las horas?",
  ],
  ["Los préstamos se anonimizan después de la devolución", "¿Guardamos quién tomó prestado cada libro?"],
  ["La tableta del panadero funciona sin red y se sincroniza en la oficina", "¿Necesita red la tableta?"],
  ["Los secretos están en Vault y nunca en el repositorio", "¿Dónde están los secretos?"],
  [
    "Los palés de más de 800 kg se mueven entre dos personas",
    "¿Desde qué peso hacen falta dos personas para un palé?",
  ],
  [
    "Las pruebas unitarias deben durar menos de dos minutos en un portátil",
    "¿Cuánto pueden durar las pruebas?",
  ],
  [
    "En julio una tarea mal configurada borró el índice; desde entonces probamos las copias cada mes",
    "¿Por qué probamos las copias cada mes?",
  ],
  [
    "El operador de la red puede reducirnos a cero en diez segundos",
    "¿En cuánto tiempo debe parar la planta?",
  ],
  ["Las direcciones de los clientes nunca se dan a terceros", "¿Compartimos las direcciones?"],
  [
    "Los quioscos están escritos en Kotlin porque el viejo C++ no se podía probar",
    "¿En qué lenguaje están escritos los quioscos?",
  ],
  [
    "Antes de cada entrega hay que ejecutar el simulador de las cintas",
    "¿Qué hay que ejecutar antes de una entrega?",
  ],
  ["Las ramas se aplastan en un solo commit antes de fusionarlas", "¿Cómo fusionamos las ramas?"],
  [
    "Al desplegar, el balanceador conserva las conexiones sesenta segundos",
    "¿Cuánto tiempo se conservan las conexiones al desplegar?",
  ],
  ["El conductor fotografía las cajas sin código QR", "¿Qué hace el conductor con una caja sin código?"],
  [
    "Las cuentas de los empleados llegan por SCIM del directorio municipal",
    "¿De dónde llegan las cuentas de los empleados?",
  ],
  [
    "Si la producción baja del 70 % de la previsión, el equipo de campo recibe un aviso",
    "¿Cuándo recibe un aviso el equipo de campo?",
  ],
  [
    "Las reservas se atienden por orden de llegada, salvo las de los clubes de lectura",
    "¿En qué orden se atienden las reservas?",
  ],
];

export const FRESH_SPANISH_UNANSWERED: readonly string[] = [
  "¿Cuál es el teléfono de la recepción?",
  "¿Quién pintó el mural de la entrada?",
  "¿Qué colores usamos en los gráficos?",
  "¿Cuántos días de vacaciones tiene el personal?",
  "¿Dónde puedo aparcar la bicicleta?",
  "¿Qué versión de Node hace falta?",
  "¿Cuándo es la próxima reunión de la junta?",
  "¿Cómo calculamos el envío a Canadá?",
  "¿Quién firma las facturas de más de diez mil euros?",
  "¿Qué tamaño puede tener una miniatura?",
  "¿Hay un autobús a la estación?",
  "¿Cuál es la contraseña de la red de invitados?",
  "¿Cómo se incorporan los autónomos?",
  "¿Con qué agencia traducimos la página?",
  "¿Quién ganó el concurso el año pasado?",
  "¿Qué micrófono usamos para las grabaciones?",
  "¿Cómo es el esquema de los comentarios?",
  "¿Qué debe decir la página de error?",
  "¿Cómo ciframos los discos de los portátiles?",
  "¿Qué seguro cubre los drones?",
];
