Mi abuela tenía en la cocina un viejo reloj que nadie podía tocar .
Había sido un regalo de boda y no daba la hora correcta desde la guerra .
Todos los domingos por la noche le daba cuerda , aunque no servía de nada .
Solía decir que no era de buena educación dejar morir un reloj .
Después del entierro mis tías discutieron por los muebles , pero en una cosa estaban de acuerdo : nadie quería el reloj .
Así que se vino conmigo a casa , envuelto en una manta como un bebé .
Lo llevé a un relojero , que abrió la tapa y se echó a reír .
" A la maquinaria no le pasa nada " , dijo , " solo está llena de azúcar . "
Le llevó dos días limpiar el reloj , y no quiso cobrar .
Ahora hace tictac en mi pared y , cuando da las nueve , siempre pienso que alguien ha cogido una galleta .
Un perro marrón estaba sentado en el andén número dos cuando la mujer de la taquilla llegó al trabajo .
No llevaba collar y llovía con tanta fuerza que sintió lástima por él .
Compartió su bocadillo con el animal , que se comió el jamón y dejó el pan .
Cuando entró el primer tren , el perro miró a cada pasajero , pero no se movió .
Hizo lo mismo con el siguiente tren y con el de después .
" Deberían llamar a la policía " , dijo un hombre con una maleta , pero no dijo quién y se subió a su tren .
A mediodía , dos niños bajaron corriendo las escaleras ; los dos lloraban .
Habían venido a pie desde el pueblo vecino , porque no tenían dinero para el autobús y además este llegaba tarde .
El perro se les echó encima con tantas ganas que tiró al más pequeño , y pasó un rato hasta que alguien pudo hablar .
Aquella tarde la mujer encontró en su mostrador un dibujo : se veía un bocadillo , y debajo habían escrito " gracias " .
Por su décimo cumpleaños , Lena recibió una bicicleta roja , demasiado grande para ella .
Su padre la había comprado en el mercado y le prometió que ya crecería .
Todo el verano estuvo en el cobertizo , entre dos armarios viejos que le hacían compañía .
En septiembre Lena la probó a escondidas , se cayó y no se lo contó a nadie .
El problema eran los pedales : cuando se sentaba en el sillín , quedaban muy por debajo de sus pies .
Su hermano bajó el sillín al máximo , y eso ayudó un poco .
En primavera Lena medía dos centímetros más , o eso decía , y fue suficiente .
La bicicleta la llevó al colegio , al río y una vez , cuando ya era de noche , hasta el mar .
Cuando se la robaron , tres años después , no lloró ; fue andando al mercado y miró puesto por puesto .
Allí estaba , pintada de azul , y era justo del tamaño de una niña de diez años , así que la dejó donde estaba .
La panadera de nuestra calle cierra a la una , y a mediodía ya casi no hay pan .
Ayer entró un anciano y pidió una hogaza de centeno , la última del estante .
Era pequeña y estaba un poco quemada , así que la panadera se la ofreció a mitad de precio .
" No sería justo " , contestó , " porque usted ha trabajado en ella toda la noche . "
Mientras ella envolvía la hogaza , dos niñas entraron corriendo y miraron el estante .
Estaba vacío , y las habían mandado por pan porque su madre estaba enferma .
El anciano suspiró y dijo que una hogaza entera era demasiado para una sola persona y que se iba a poner dura .
Entonces la panadera cogió su cuchillo grande , aunque no cortaba muy bien , y partió el pan en dos .
Las niñas les dieron las gracias a los dos y volvieron corriendo a casa , tan deprisa que se olvidaron de pagar .
" No importa " , dijo la panadera , " mañana volverán , porque son mis sobrinas . "
La carta estaba detrás del radiador , donde debió de caerse muchos años antes .
Los obreros la encontraron al quitar el radiador de la pared y se la dieron a Paul .
Les había comprado el piso a dos hermanas , que se habían mudado mucho antes a la costa .
El sobre seguía cerrado ; llevaba un sello extranjero y un nombre que no conseguía leer .
Habría sido fácil abrirlo , pero Paul pensó que no era asunto suyo .
Escribió a las hermanas y , tres semanas después , estaban delante de su puerta , las dos vestidas de verde .
La mayor se puso las gafas , pero no eran lo bastante fuertes , así que la menor tuvo que leer la carta en voz alta .
" Es de papá " , dijo en voz baja , " y dice que vuelve a casa . "
Hubo un largo silencio , pues hasta Paul entendió que nunca había llegado .
Después las hermanas preguntaron si podían quedarse también con el radiador , y ahora está en su jardín , lleno de flores .
El tren nocturno a Lisboa salió con una hora de retraso , y nadie supo decir por qué lo habían parado a las afueras de la ciudad .
En nuestro compartimento iban sentados una monja y un joven soldado que llevaba una jaula sobre las rodillas .
Estaba tapada con un paño y de vez en cuando soltaba una tosecilla .
" ¿ Es un pájaro ? " , preguntó por fin la monja , y el soldado asintió .
Explicó que era un loro , que era de su abuela y que ella no podía dormir sin él .
En esa línea no admiten pájaros , y llevaba toda la tarde con miedo a la revisora .
Cuando por fin llegó , ni siquiera miró la jaula , porque había empezado a nevar y buscaba ventanas abiertas .
" Buenas noches a todos " , dijo una voz debajo del paño , y sonaba exactamente como la de una anciana .
La revisora respondió con educación , le deseó buen viaje a la señora y le preguntó si necesitaba una manta .
" Es la primera vez " , susurró el soldado cuando se fue , " que este loro dice algo útil . "
El pan empieza con una masa de harina , agua , sal y levadura .
La levadura está viva : está formada por células diminutas que se despiertan cuando tienen calor y humedad .
En cuanto encuentran azúcar , se lo comen y desprenden un gas .
Es el mismo gas de las gaseosas , y se escaparía sin más si nada lo retuviera .
Por eso hay que amasar bien la masa : cuanto más se trabaja , más elástica se vuelve .
Después del amasado tiene que reposar , y es mejor tapar el cuenco para que no entre aire .
En una o dos horas la masa dobla su tamaño , porque se han formado miles de burbujas y no pueden salir .
En el horno crecen una vez más , hasta que el calor mata la levadura y esta deja de trabajar .
Si uno abre la puerta demasiado pronto , puede ocurrir que el pan se hunda .
Se puede comer igual , pero nunca será tan ligero como debía ser .
Un barco no puede subir una cuesta y , sin embargo , los canales atraviesan montañas , y lo hacen gracias a las esclusas .
No son más que grandes depósitos con una puerta en cada extremo .
Cuando un barco quiere subir , primero se abre la puerta de abajo y el barco entra .
Luego se cierra la puerta detrás de él , y es importante que quede bien ajustada .
Entonces alguien abre unas pequeñas compuertas en la puerta de arriba , y estas dejan entrar el agua poco a poco .
Siempre corre cuesta abajo , de modo que no hace falta ninguna bomba ; lo único que cuesta es tiempo .
El barco sube con el agua hasta que está a la altura del canal de arriba .
En ese momento la puerta de arriba se puede abrir a mano , ya que el agua pesa lo mismo a los dos lados .
Algunas esclusas tienen quinientos años y siguen funcionando como el primer día .
Serán lentas , pero nunca han necesitado combustible , y da gusto mirarlas .
En verano las hojas son verdes porque contienen un pigmento que capta la luz .
Con su ayuda el árbol produce azúcar , que guarda en las raíces para el invierno .
Cuando los días se acortan , ya no merece la pena mantener abierta una fábrica tan cara .
Por eso el árbol descompone el pigmento y recupera todo lo que puede volver a usar .
A medida que desaparece , se ven otros colores , y la gente cree que son nuevos .
Pero el amarillo estuvo ahí siempre : solo lo tapaba el verde .
El rojo es distinto : se forma en otoño , y nadie sabe muy bien para qué sirve .
En mi pueblo decían que los árboles se ponían colorados porque pronto iban a quedarse desnudos .
Antes de que caiga una hoja , en el punto donde se une a la rama crece una fina capa de corcho , de modo que la herida ya está cerrada .
Entonces basta un poco de viento y se suelta .
Cuando una abeja descubre un campo lleno de flores , no se lo guarda para ella sola .
Vuelve a casa y allí , en la oscuridad de la colmena , se pone a bailar .
Sus hermanas no pueden ver el baile : lo sienten con las patas .
Tiene forma de ocho y , en la parte central , la bailarina mueve el cuerpo .
Si esta parte es larga , las flores están lejos ; si es corta , están cerca .
También se indica la dirección , y fue este descubrimiento el que hizo famoso a un tímido profesor .
Pintó puntos en cientos de abejas y observó adónde iban .
Al principio casi nadie le creyó , porque parecía imposible que un insecto tuviera un lenguaje .
Hoy sabemos que incluso tiene dialectos y que estos varían de un país a otro .
Cuando viven juntas abejas de distintos países , hacen falta unos días , pero aprenden a entenderse .
Un grifo que gotea gasta más agua de lo que se cree , y por la noche resulta molesto .
Por lo general la culpa es de la junta : se ha endurecido y ya no cierra el tubo .
Antes de desmontar nada , cierre el agua y compruebe que de verdad ya no sale .
Desatornille la manilla ; si está atascada , un poco de vinagre ayuda , pero necesita unos minutos .
Dentro verá la junta vieja , que puede sacar con los dedos .
Llévesela a la tienda , porque hay decenas de tamaños y se parecen mucho .
Allí sabrán cuál necesita .
Vuelva a montarlo todo en el mismo orden ; es fácil olvidarse de la pequeña anilla , y sin ella el grifo vuelve a gotear .
No apriete demasiado la manilla , porque estropearía la junta nueva .
Si aun así sigue goteando , es hora de llamar a un fontanero , y no se extrañe si solo necesita dos minutos .
Dos veces al día el mar sube por la playa y dos veces al día se retira .
Durante mucho tiempo se creyó que un gigante respiraba en algún lugar , mar adentro .
En realidad es la luna la que lo hace : tira del agua en el lado de la Tierra que tiene enfrente .
El agua se eleva un poco hacia ella , y la Tierra gira por debajo .
El sol también tira , pero , aunque es mucho más grande , está tan lejos que su efecto es menor .
Cuando los dos tiran a la vez , las mareas son grandes ; se llaman mareas vivas y se dan dos veces al mes .
En algunas bahías el agua sube doce metros , es decir , podría cubrir una casa .
Los marineros siempre lo han sabido de memoria , pues tenían que saber cuándo era seguro zarpar .
Si perdían la marea , tenían que esperar medio día , y eso podía costarles la carga .
Hoy cada puerto imprime sus propias tablas ; son tan exactas que uno se olvida del gigante , pero sigue respirando .
Buenos días , vengo a buscar mis gotas ; mi oculista me dijo que estarían listas hoy .
Vamos a ver ; sí , aquí están , pero hay un problema con la receta .
¿ Qué le pasa ?
No está firmada , y sin firma no vale .
Qué raro ; mi oculista siempre es muy cuidadosa , y no tenía ninguna prisa .
A veces pasa ; ¿ quiere que la llame ?
Sí , por favor ; sería una tontería volver hasta el hospital .
No contesta , pero está su ayudante y dice que puede mandar otra ahora mismo .
Estupendo ; y estas gotas , ¿ escuecen ?
Pican un momento , pero uno se acostumbra , y tiene que guardarlas en la nevera una vez abierto el frasco .
Buenas noches , llamo por la calefacción ; dejó de funcionar el viernes .
¿ Otra vez ? No puede ser ; cambiamos la caldera el año pasado .
Hace un ruido , tiembla un poco y luego se apaga .
¿ Qué tipo de ruido es ?
Es difícil de describir ; mi hija dice que suena como una vaca resfriada .
Entonces hay aire en las tuberías y solo hay que purgarlas ; ¿ lo ha intentado ?
No me atrevería , y hace tanto frío aquí que mis hijos duermen con el abrigo puesto .
Lo siento ; mañana le mando a mis fontaneros y , si no pueden venir , lo haré yo mismo .
Dígales que el timbre tampoco funciona ; tendrán que llamar con los nudillos .
Claro ; ¡ me lo tenía que haber dicho cuando se estropeó !
¿ Has visto ya la película nueva sobre el faro ?
Sí , el sábado , y era mucho mejor de lo que decían en la radio .
¿ De verdad ? Mi hermana se durmió a la mitad y dice que no pasa nada .
Es lenta , lo reconozco , pero las imágenes son tan bonitas que se te quedan en la cabeza .
¿ Y los dos actores , qué tal están ?
El viejo es maravilloso ; casi no habla , pero da igual .
¿ Cómo acaba la película ? ¿ Se quedan en la isla ?
No te lo voy a contar , lo estropearía todo ; tienes que verla tú mismo .
¿ La ponen todavía , y empieza a las ocho ?
Sí , pero solo hasta el jueves , y vale la pena ir pronto , porque después de las siete y media ya no hay buenos asientos .
Perdone , ayer me dejé el paraguas en el tranvía ; ¿ lo han traído ?
Recibimos cuarenta paraguas a la semana y son casi todos negros ; ¿ cómo es el suyo ?
Es amarillo , con mango de madera , y tiene un agujerito cerca de la punta .
¿ Qué línea era , y recuerda la hora ?
La línea cuatro ; serían las seis y media más o menos , porque estaba oscureciendo .
Una conductora ha traído uno amarillo esta mañana , pero dijo que estaba tirado en la calle .
¿ Podría verlo ? ¡ Sí , ahí está !
¿ Está segura de que es el suyo ? Este tiene dos agujeros .
Entonces mis hijos le han hecho otro ; juegan con todo lo que encuentran .
Muy bien , firme aquí ; y , si se aburren , dígales que tenemos una sala llena de juguetes perdidos : esos nunca los reclama nadie .
¿ Has metido las botas ? Esta mañana estaban junto a la puerta .
Me quedan pequeñas , mamá , y además no va a nevar .
¿ Quién te ha dicho eso ? En las noticias dijeron que ya había medio metro de nieve .
Entonces que papá me preste las suyas ; nunca se las pone .
¡ Nadarías dentro ! Pregúntale a tu prima ; tiene el mismo número que tú .
Las suyas son rosas y tienen flores . Prefiero congelarme .
Es solo para tres días , y allí no te conoce nadie .
¿ Y mi maleta ? No cierra , y eso que me he sentado encima .
Claro que no : ¡ llevas dentro toda tu colección de piedras ! ¿ Para qué la quieres ?
Es la abuela la que quiere verla ; dice que una de las piedras vale una fortuna , pero no recuerda cuál era .
Han vuelto a levantar la calle ; ¿ los has oído esta mañana a las seis ?
¡ Cómo no ! Era como si estuvieran taladrando en mi cama .
Primero fue el agua , luego el gas , y ahora dicen que son los cables eléctricos .
Tienen sesenta años , así que algún día había que hacerlo .
¿ Pero por qué de noche ? El ruido es horrible , y le da tanto miedo a mi gata que ya no come .
He llamado al ayuntamiento y me han dicho que en una semana habrá terminado .
¡ Una semana ! Lo mismo dijeron de la escuela , y estuvo dos años cerrada .
Al menos los obreros son simpáticos ; cuando llovió , les llevé café y me cantaron una canción .
¡ Así que era eso ! Yo creía que era la radio de los vecinos de arriba .
No , esos se mudaron la semana pasada : ya no aguantaban el ruido .
El río se desbordó en la noche del martes e inundó la parte baja de la ciudad .
Llevaba subiendo desde el fin de semana , pero las autoridades habían asegurado a los vecinos que no superaría el muro .
Se equivocaban : poco después de las dos quedó claro que el muro no aguantaría .
Cuando cedió , el agua llegó al mercado en menos de diez minutos .
Unas doscientas personas tuvieron que dejar sus casas ; pasaron la noche en el polideportivo .
No hubo heridos , y fue gracias a los bomberos , que iban de puerta en puerta .
" Me sacaron en brazos y en camisón " , cuenta una maestra jubilada , " y hasta volvieron por mis pájaros . "
Ha sido la tercera inundación en diez años y ha reabierto un viejo debate .
Muchos vecinos piden un muro más alto , pero los expertos advierten de que solo trasladaría el problema río abajo .
El consejo municipal se reunirá el lunes ; ha prometido publicar los mapas de la zona inundada antes de votar .
Tras seis años de obras , la nueva biblioteca abrió sus puertas el sábado , y acudieron más de tres mil visitantes .
Está donde antes estaba el matadero y conserva la misma chimenea de ladrillo .
" Nos decían que había que derribarla " , explicó la arquitecta , " pero pensamos que era el alma del lugar . "
Luchó dos años por salvarla y al final el alcalde cedió .
Las salas de lectura son luminosas y huelen a madera ; una de ellas está reservada a quienes roncan .
No es broma : los estudiantes suelen estudiar aquí toda la noche y necesitan un sitio para dormir .
Se han trasladado doscientos mil libros , y se tardó nueve semanas en ponerlos todos en orden .
Los más antiguos son tan frágiles que solo se pueden tocar con guantes , y eso únicamente si es imprescindible .
La cafetería de la azotea tuvo menos suerte : se quedó sin tarta antes del mediodía y luego empezó a llover .
A los visitantes no les importó : se bajaron el café , y nadie les dijo que estaba prohibido .
El equipo femenino ganó el domingo su primera copa ante ocho mil espectadores .
Ya había perdido la final dos veces , y pocos esperaban que esta vez lo hiciera mejor .
Las visitantes empezaron bien : a los seis minutos ganaban , y parecía que iban a marcar otra vez en cualquier momento .
Sin embargo , antes del descanso la capitana lanzó un tiro libre ; dio en el poste y entró .
" No lo vi " , admitió después , " solo lo oí . "
En la segunda parte la lluvia convirtió el césped en un lago , y se puso tan resbaladizo que las dos porteras se cayeron .
Se rieron de ello , y el árbitro tuvo que esperar a que se levantaran .
El gol de la victoria llegó en el último minuto , y fue la jugadora más joven quien lo marcó .
Solo tiene diecisiete años , todavía va al instituto y el lunes tenía un examen de matemáticas .
" Fue más difícil que la final " , nos dijo , " pero creo que salió bien . "
¿ Qué piensan los alumnos de su comedor ? Una encuesta realizada en doce escuelas da una respuesta clara : querrían menos ruido .
La comida solo aparece en segundo lugar , aunque a menudo está fría cuando llega a la mesa .
Las chicas fueron más críticas que los chicos : se quejaron sobre todo de que había muy poco tiempo .
Quince minutos no bastan , escribieron , si hay que hacer cola durante diez .
También se preguntó a las cocineras , y respondieron con una sinceridad sorprendente .
Es imposible , dicen , cocinar para seiscientos niños entre dos y con un solo horno .
En una escuela el horno es más viejo que la directora y , los días de frío , ni siquiera arranca .
Ha pedido uno nuevo tres veces , pero siempre le han dicho que era demasiado caro .
Los padres se han ofrecido a pagarlo , cosa que la ciudad rechaza porque teme que otras escuelas quieran lo mismo .
Son problemas pequeños , pero estropean la única hora del día que todos esperan con ilusión .
Una estatua de bronce de un pescador ha desaparecido del puerto , y la policía pide ayuda .
La vieron por última vez el viernes por la tarde , cuando dos turistas le hicieron una foto .
Se fijaron en una furgoneta blanca , pero creyeron que era del mercado de pescado .
La estatua pesa cuatrocientos kilos , así que es probable que los ladrones tuvieran una grúa .
" Si la funden , sacarán dos mil euros " , dijo la inspectora , " pero para nosotros no tiene precio . "
Ya ha llamado a todos los chatarreros de la zona , pero parece que nadie ha intentado venderla .
La estatua la hizo en 1952 un artista local ; trabajó en ella tres inviernos , porque en verano tenía que pescar .
Sus hijas aún viven en la ciudad y ofrecen una recompensa .
No es dinero , explican , sino una barca que construyó su padre y que nunca ha tocado el agua .
Es el segundo robo en el puerto desde la primavera .
Quien haya visto algo debe llamar a la policía ; no hace falta dar el nombre .
No ha llovido en el valle desde hace setenta días , y los agricultores temen por sus manzanas .
Este año son pequeñas y se caen de los árboles antes de madurar .
" Nunca he visto nada igual " , dice una agricultora cuya familia vive aquí desde hace dos siglos ; ha perdido un tercio de la cosecha .
Los pozos que cavó su abuelo están secos , aunque él siempre decía que llegaban hasta el mar .
En los pueblos han empezado a ahorrar agua : no se puede lavar el coche , y los jardines solo se riegan de noche .
Es el verano más seco desde que existen registros y todavía no ha terminado .
El lago de montaña que suele alimentar el río ha bajado tanto que se podría cruzar a pie , y en el centro vuelve a verse la vieja torre de la iglesia .
Pertenece a un pueblo que fue inundado en los años sesenta , y muchas familias han venido a verla .
Algunas ancianas nacieron allí ; caminan por el barro , enseñan a sus nietos dónde estaba la escuela y dicen lo extraño que resulta .
El servicio meteorológico espera tormentas para fin de mes ; lo que no puede decir es si llegarán a tiempo para las manzanas .
